import { statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import PostalMime, { decodeWords, type Email } from 'postal-mime'
import {
  isMailId,
  type OutboxMailFile,
  type OutboxMailSummary,
  outboxIndex,
  outboxMailSummaryOf,
} from './outbox-index.js'

/** `date`: ISO, of the `Date` field or the file. `size`: bytes. */
export type MailOutboxItem = {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly date: string
  readonly size: number
}

export type OutboxAttachment = {
  readonly index: number
  readonly filename: string
  readonly contentType: string
  readonly size: number
  /** Without angle brackets. */
  readonly contentId?: string
}

export type OutboxMail = MailOutboxItem & {
  /** Unfolded and decoded. */
  readonly headers: readonly { readonly name: string; readonly value: string }[]
  readonly html?: string
  readonly text?: string
  readonly source: string
  readonly attachments: readonly OutboxAttachment[]
}

export type OutboxQuery = {
  /** Case-insensitive, in from, to and subject. */
  readonly search?: string | undefined
  readonly skip: number
  readonly limit: number
}

/** Invalid ids are not found; malformed mails are shown as far as possible. */
export type Outbox = {
  list(query: OutboxQuery): Promise<{ readonly items: readonly MailOutboxItem[]; readonly count: number }>
  get(id: string): Promise<OutboxMail | undefined>
  eml(id: string): Promise<Uint8Array | undefined>
  attachment(id: string, index: number): Promise<({ readonly bytes: Uint8Array } & OutboxAttachment) | undefined>
}

const itemOf = (
  { id, written, size }: OutboxMailFile,
  { from, to, subject, date }: OutboxMailSummary,
): MailOutboxItem => ({
  id,
  from,
  to,
  subject,
  date: date ?? new Date(written).toISOString(),
  size,
})

const bytesOf = (content: ArrayBuffer | Uint8Array | string): Uint8Array =>
  typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)

const attachmentsOf = ({ attachments }: Pick<Email, 'attachments'>) =>
  attachments.map(({ filename, mimeType, contentId, content }, index) => {
    const bytes = bytesOf(content)
    return {
      index,
      filename: filename ?? `attachment-${index + 1}`,
      contentType: mimeType,
      size: bytes.length,
      ...(contentId && { contentId: contentId.replace(/^<(.*)>$/, '$1') }),
      bytes,
    }
  })

const unparseable: Pick<Email, 'headers' | 'attachments' | 'html' | 'text'> = { headers: [], attachments: [] }

/** The directory may be missing. */
export const openMailOutbox = ({ directory }: { readonly directory: string }): Outbox => {
  const index = outboxIndex(directory)

  const eml = async (id: string): Promise<Uint8Array | undefined> => {
    if (!isMailId(id)) return undefined
    return readFile(index.pathOf(id)).catch(() => undefined)
  }

  const parsed = (bytes: Uint8Array) => PostalMime.parse(bytes).catch(() => unparseable)

  return {
    eml,

    list: async ({ search, skip, limit }) => {
      const entries = await index.entries()
      const words = search?.trim().toLowerCase() ?? ''
      const items: MailOutboxItem[] = []
      if (words === '') {
        const page = entries.slice(skip, skip + limit)
        for await (const [entry, summary] of index.summarised(page, skip)) items.push(itemOf(entry, summary))
        return { items, count: entries.length }
      }
      let count = 0
      for await (const [entry, summary] of index.summarised(entries)) {
        const { from, to, subject } = summary
        if (!`${from}\n${to}\n${subject}`.toLowerCase().includes(words)) continue
        if (count >= skip && items.length < limit) items.push(itemOf(entry, summary))
        count += 1
      }
      return { items, count }
    },

    get: async (id) => {
      const bytes = await eml(id)
      if (!bytes) return undefined
      const written = statSync(index.pathOf(id), { throwIfNoEntry: false })?.mtimeMs ?? 0
      const source = Buffer.from(bytes).toString('utf8')
      const email = await parsed(bytes)
      return {
        ...itemOf({ id, written, size: bytes.length }, outboxMailSummaryOf(source)),
        headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value: decodeWords(value) })),
        ...(email.html && { html: email.html }),
        ...(email.text && { text: email.text }),
        source,
        attachments: attachmentsOf(email).map(({ bytes: _bytes, ...attachment }) => attachment),
      }
    },

    attachment: async (id, number) => {
      const bytes = await eml(id)
      return bytes && attachmentsOf(await parsed(bytes))[number]
    },
  }
}
