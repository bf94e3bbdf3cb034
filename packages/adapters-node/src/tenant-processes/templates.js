import { tryTemplates } from '@posthorn/core/rendering'

const mostProblems = 20

/** Templates, as JSON, tried as the core tries them. */
export const work = async (input) => ({ output: '', problems: tryTemplates(JSON.parse(input)).slice(0, mostProblems) })
