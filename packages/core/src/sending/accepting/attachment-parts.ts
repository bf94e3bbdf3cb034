import { attachmentPart } from '../../emails/mime.js'
import { cachedAnswers } from '../../kernel/cached-answers.js'
import { fairLimiter } from '../../kernel/fair-limiter.js'
import type { Files } from '../../kernel/ports.js'
import type { Dispatch } from '../ledger/dispatch.js'
import { type AttachmentLimits, loadAttachments } from './attachments.js'

type Deps = { readonly files: Files; readonly settings: Pick<AttachmentLimits, 'attachmentBytes'> }

const none: readonly string[] = []

/** Sends whose files are read at once: each is in memory several times while its parts are encoded. */
const readers = 2

/**
 * A dispatch's attachments as MIME parts. Mails in flight share them through a cache that holds the parts of the two largest possible
 * sends; evicted parts are read again.
 * @throws Error if a file no longer exists
 */
export const attachmentParts = ({ files, settings }: Deps) => {
  const inTurn = fairLimiter(readers)
  const maxBytes = 3 * settings.attachmentBytes
  const parts = cachedAnswers<readonly string[]>({
    maxBytes,
    largestEntry: maxBytes / 2,
    sizeOf: (texts) => texts.reduce((sum, { length }) => sum + length, 0),
  })
  return ({ _id, attachments = [] }: Pick<Dispatch, '_id' | 'attachments'>): Promise<readonly string[]> =>
    attachments.length === 0
      ? Promise.resolve(none)
      : parts(_id, () => inTurn(async () => (await loadAttachments(files, attachments)).map(attachmentPart)))
}
