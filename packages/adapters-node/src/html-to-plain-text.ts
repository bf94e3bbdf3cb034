import { blocked, type PlainTextConverter } from '@posthorn/core/ports/runtime'
import type { SandboxProcesses } from './sandbox/sandbox-processes.js'

/** Links as `text (url)`, table rows as lines, no wrapping, no images. */
export const htmlToPlainText =
  ({ run }: SandboxProcesses): PlainTextConverter =>
  async (html, projectId) => {
    const { output, problems } = await run('plain-text', html, projectId)
    if (output === undefined) throw blocked(`The HTML cannot be converted to plain text: ${problems.join('; ')}`)
    return output
  }
