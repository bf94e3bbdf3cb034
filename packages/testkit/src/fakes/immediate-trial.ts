import { blocked, type TemplateTrial } from '@posthorn/core/ports/runtime'
import { tryTemplates } from '@posthorn/core/rendering'

/** Tries templates in the calling thread, without a time limit. */
export const immediateTrial: TemplateTrial = async (templates) => {
  const [violation] = tryTemplates(templates)
  if (violation) throw blocked(violation)
}
