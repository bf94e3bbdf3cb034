import { tryTemplates } from '@posthorn/core/rendering'

const mostProblems = 20

/** Tries templates, given as JSON, by the core's `tryTemplates`. */
export const work = async (input) => ({ output: '', problems: tryTemplates(JSON.parse(input)).slice(0, mostProblems) })
