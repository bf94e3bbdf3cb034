import { blocked, type PlainText } from '@posthorn/core/ports'
import type { TenantThreads } from './tenant-threads/tenant-threads.js'

/** Links as `text (url)`, headings as they are, lines not wrapped, rows of tables as lines, images left out. Converted in a thread. */
export const htmlToPlainText =
  ({ run }: TenantThreads): PlainText =>
  async (html, projectId) => {
    const { output, problems } = await run('plain-text', html, projectId)
    if (output === undefined) throw blocked(`The plain text of the HTML cannot be made: ${problems.join('; ')}`)
    return output
  }
