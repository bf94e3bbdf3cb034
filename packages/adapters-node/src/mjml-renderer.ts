import type { VisualRenderer } from '@posthorn/core/ports'
import { mjmlDocument, notRendered } from './mjml-document.js'
import type { TenantThreads } from './tenant-threads/tenant-threads.js'

/**
 * MJML in its JSON form (`{ tagName: "mjml", … }`, https://documentation.mjml.io), merge tags kept. Rendered in a thread: mjml-core
 * runs regular expressions over what others write.
 */
export const mjmlRenderer =
  ({ run }: TenantThreads): VisualRenderer =>
  async (document, projectId) => {
    const { output, problems } = await run('visual-document', JSON.stringify(mjmlDocument(document)), projectId)
    if (output === undefined) throw notRendered(...problems)
    return output
  }
