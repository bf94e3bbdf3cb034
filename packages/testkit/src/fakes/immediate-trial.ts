import { blocked, type TemplateTrial, tryTemplates } from '@posthorn/core/ports'

/** Tries templates where it is asked, however long they take. */
export const immediateTrial: TemplateTrial = async (templates) => {
  const [violation] = tryTemplates(templates)
  if (violation) throw blocked(violation)
}
