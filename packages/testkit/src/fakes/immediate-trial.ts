import { blocked, type TemplateTrial } from '@posthorn/core/ports'
import { tryTemplates } from '@posthorn/core/rendering'

/** Tries templates where it is asked, however long they take. */
export const immediateTrial: TemplateTrial = async (templates) => {
  const [violation] = tryTemplates(templates)
  if (violation) throw blocked(violation)
}
