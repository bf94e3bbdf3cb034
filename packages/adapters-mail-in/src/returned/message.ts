import PostalMime from 'postal-mime'

/** By lower-case name; the first of repeated fields. */
export type HeaderFieldBlock = ReadonlyMap<string, string>

const mostFields = 500
const longestField = 2_000

const fieldsOf = (lines: readonly string[]): HeaderFieldBlock => {
  const fields = new Map<string, string>()
  let name = ''
  for (const line of lines) {
    if (line.startsWith(' ') || line.startsWith('\t')) {
      const value = fields.get(name)
      if (value !== undefined && value.length < longestField) fields.set(name, `${value} ${line.trim()}`)
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0 || fields.size >= mostFields) continue
    const next = line.slice(0, colon).trim().toLowerCase()
    // Drops the continuation lines of a repeated field.
    name = fields.has(next) ? '' : next
    if (name !== '') fields.set(name, line.slice(colon + 1, colon + 1 + longestField).trim())
  }
  return fields
}

/** Blocks separated by empty lines (RFC 3464 section 2.1); at most a hundred. */
export const headerFieldBlocks = (text: string): readonly HeaderFieldBlock[] => {
  const blocks: HeaderFieldBlock[] = []
  let lines: string[] = []
  const end = () => {
    if (lines.length > 0) blocks.push(fieldsOf(lines))
    lines = []
  }
  for (const line of text.split('\n')) {
    const trimmed = line.endsWith('\r') ? line.slice(0, -1) : line
    if (blocks.length >= 100) break
    if (trimmed.trim() === '') end()
    else lines.push(trimmed)
  }
  end()
  return blocks
}

export type MessagePart = { readonly type: string; readonly text: string }

export type ParsedMessage = {
  readonly header: (name: string) => string
  readonly has: (name: string) => boolean
  readonly from: string
  /** Empty for reports and automatic mail (RFC 5321, 4.5.5), undefined if unknown. */
  readonly envelopeFrom: string | undefined
  readonly subject: string
  readonly text: string
  readonly parts: readonly MessagePart[]
}

/** Bytes parsed: the report precedes the returned mail. */
export const mostParsedBytes = 256 * 1024
/** Every line costs the parser a turn; a report of 256 kB has fewer lines. */
const readLines = 2_500

const newline = 0x0a

const beginningOf = (raw: Uint8Array): Uint8Array => {
  const bytes = raw.subarray(0, mostParsedBytes)
  let end = -1
  for (let lines = 0; lines < readLines; lines += 1) {
    end = bytes.indexOf(newline, end + 1)
    if (end < 0) return bytes
  }
  return bytes.subarray(0, end + 1)
}

const limits = { maxNestingDepth: 30, maxHeadersSize: 32 * 1024, maxRfc822NestingDepth: 0 }

const decoder = new TextDecoder('utf-8')
const textOf = (content: string | ArrayBuffer | Uint8Array) =>
  typeof content === 'string' ? content : decoder.decode(content)

const withoutTags = (html: string): string => {
  let text = ''
  for (let at = 0; at < html.length; ) {
    const open = html.indexOf('<', at)
    if (open < 0) return text + html.slice(at)
    text += `${html.slice(at, open)}\n`
    const close = html.indexOf('>', open)
    if (close < 0) return text
    at = close + 1
  }
  return text
}

/** For a multipart message that lost its boundaries. */
const bodyOf = (raw: Uint8Array): string => {
  const all = decoder.decode(raw)
  return all.slice(/\r?\n\r?\n/.exec(all)?.index ?? all.length)
}

const textIn = (html: string): string => withoutTags(html).replaceAll('&nbsp;', ' ')

const returnPath = (field: string | undefined): string | undefined =>
  field === undefined ? undefined : field.trim().replace(/^<|>$/g, '').toLowerCase()

/**
 * Parses the first `mostParsedBytes` and `readLines`; undefined if unreadable. Never throws.
 * @param envelopeFrom default: the `Return-Path` field
 */
export const readMessage = async (raw: Uint8Array, envelopeFrom?: string): Promise<ParsedMessage | undefined> => {
  try {
    const email = await new PostalMime({ ...limits, rfc822Attachments: true }).parse(beginningOf(raw))
    const headers = new Map<string, string>()
    for (const { key, value } of email.headers) if (!headers.has(key)) headers.set(key, value.slice(0, 2_000))
    return {
      header: (name) => headers.get(name) ?? '',
      has: (name) => headers.has(name),
      from: (email.from?.address ?? headers.get('from') ?? '').toLowerCase(),
      envelopeFrom: envelopeFrom?.toLowerCase() ?? returnPath(headers.get('return-path')),
      subject: email.subject ?? '',
      text: email.text || textIn(email.html ?? '') || (email.attachments.length === 0 ? bodyOf(beginningOf(raw)) : ''),
      parts: email.attachments.map(({ mimeType, content }) => ({
        type: mimeType.toLowerCase(),
        text: textOf(content),
      })),
    }
  } catch {
    return undefined
  }
}

const servers =
  /^(?:mailer-?daemon|mail-?daemon|mdaemon|postmaster|bounce|mail-delivery|mail\.delivery|ndr@|symantec_antivirus)/

export const isMailerDaemonAddress = (address: string): boolean => servers.test(address)
