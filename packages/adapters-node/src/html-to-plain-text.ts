import { blocked, type PlainText } from '@posthorn/core/ports'
import type { TenantProcesses } from './tenant-processes/tenant-processes.js'

/** Links as `text (url)`, headings as they are, lines not wrapped, rows of tables as lines, images left out. Converted in a process of its own. */
export const htmlToPlainText =
  ({ run }: TenantProcesses): PlainText =>
  async (html, projectId) => {
    const { output, problems } = await run('plain-text', html, projectId)
    if (output === undefined) throw blocked(`The plain text of the HTML cannot be made: ${problems.join('; ')}`)
    return output
  }
