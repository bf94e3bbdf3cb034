import type { VisualRenderer } from '@posthorn/core/ports'
import { mjmlDocument, notRendered } from './mjml-document.js'
import type { TenantProcesses } from './tenant-processes/tenant-processes.js'

/**
 * MJML in its JSON form (`{ tagName: "mjml", … }`, https://documentation.mjml.io), merge tags kept. Rendered in a process of its own: mjml-core
 * runs regular expressions over what others write.
 */
export const mjmlRenderer =
  ({ run }: TenantProcesses): VisualRenderer =>
  async (document, projectId) => {
    const { output, problems } = await run('visual-document', JSON.stringify(mjmlDocument(document)), projectId)
    if (output === undefined) throw notRendered(...problems)
    return output
  }
