import type { VisualRenderer } from '@posthorn/core/ports/runtime'
import { mjmlDocument, notRendered } from './mjml-document.js'
import type { TenantProcesses } from './tenant-processes/tenant-processes.js'

/**
 * MJML in its JSON form (https://documentation.mjml.io); merge tags stay. Runs in a sandbox process, because mjml-core
 * applies regular expressions to tenants' content.
 */
export const mjmlRenderer =
  ({ run }: TenantProcesses): VisualRenderer =>
  async (document, projectId) => {
    const { output, problems } = await run('visual-document', JSON.stringify(mjmlDocument(document)), projectId)
    if (output === undefined) throw notRendered(...problems)
    return output
  }
