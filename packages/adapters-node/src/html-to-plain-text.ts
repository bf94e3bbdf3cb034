import { blocked, type PlainText } from '@posthorn/core/ports/runtime'
import type { TenantProcesses } from './tenant-processes/tenant-processes.js'

/** Converts in a sandbox process: links as `text (url)`, headings unchanged, lines not wrapped, table rows as lines, images omitted. */
export const htmlToPlainText =
  ({ run }: TenantProcesses): PlainText =>
  async (html, projectId) => {
    const { output, problems } = await run('plain-text', html, projectId)
    if (output === undefined) throw blocked(`The plain text of the HTML cannot be made: ${problems.join('; ')}`)
    return output
  }
