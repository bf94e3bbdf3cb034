import type { Secrets } from '../kernel/ports.js'

/** The mail that contains a tracked link. All three ids are hexadecimal, as made by `NewId`. */
export type TrackedMail = {
  /** The id of the mail's link table: 12 digits. */
  readonly table: string
  readonly dispatchId: string
  /** Absent if the dispatch went to one address and so has only one mail. */
  readonly contactId?: string
}

/** The tokens for the links of one mail: `token` for links that all recipients share, `personal` for a link with values of its own. */
export type MailTokens = {
  readonly token: string
  readonly personal: (ref: string, values: string) => string
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Three hexadecimal digits are encoded as two of base64url. */
const pairs = Array.from({ length: 4096 }, (_, n) => `${alphabet[n >> 6]}${alphabet[n & 63]}`)

const shortOf = (hexadecimal: string): string => {
  let out = ''
  for (let at = 0; at < hexadecimal.length; at += 3) out += pairs[Number.parseInt(hexadecimal.slice(at, at + 3), 16)]
  return out
}

const longOf = (short: string): string => {
  let out = ''
  for (let at = 0; at < short.length; at += 2) {
    const n = alphabet.indexOf(short[at] ?? '') * 64 + alphabet.indexOf(short[at + 1] ?? '')
    out += n.toString(16).padStart(3, '0')
  }
  return out
}

const id = /^[0-9a-f]{24}$/
const tableId = /^[0-9a-f]{12}$/
/** Characters of a signature in a token: 96 bits. */
const signatureLength = 16
const [tableLength, idLength] = [8, 16]

/** Lengths of `token`: for a mail to a list, and for the only mail of a dispatch. */
export const tokenLength = {
  many: tableLength + 2 * idLength + signatureLength,
  one: tableLength + idLength + signatureLength,
} as const

const mailText = (ids: string) => `mail:${ids}`
const linkText = (ids: string, ref: string, values: string) => `link:${ids}:${ref}:${values}`

/**
 * Makes the tokens of a dispatch's mails: one signature for all links of a mail (ADR 0041). A token is `base64url(table, dispatch,
 * contact)` and 96 bits of an HMAC; each `personal` token has its own HMAC. Undefined if an id does not have the form of `NewId`.
 */
export const mailTokens = (
  secrets: Pick<Secrets, 'sign'>,
  { table, dispatchId }: Pick<TrackedMail, 'table' | 'dispatchId'>,
): ((contactId: string | undefined) => MailTokens | undefined) => {
  if (!tableId.test(table) || !id.test(dispatchId)) return () => undefined
  const shared = shortOf(table) + shortOf(dispatchId)
  const signature = (text: string) => secrets.sign(text, 'tracking').slice(0, signatureLength)
  return (contactId) => {
    if (contactId !== undefined && !id.test(contactId)) return undefined
    const ids = contactId === undefined ? shared : shared + shortOf(contactId)
    return {
      token: ids + signature(mailText(ids)),
      personal: (ref, values) => `${ids}/${ref}/${signature(linkText(ids, ref, values))}${values}`,
    }
  }
}

const mailOf = (ids: string): TrackedMail => {
  const hexadecimal = longOf(ids)
  const contactId = hexadecimal.slice(36)
  return {
    table: hexadecimal.slice(0, 12),
    dispatchId: hexadecimal.slice(12, 36),
    ...(contactId !== '' && { contactId }),
  }
}

const idsOf = (text: string, length: number): string | undefined =>
  length === tableLength + idLength || length === tableLength + 2 * idLength ? text.slice(0, length) : undefined

/** The mail that a token belongs to; undefined if the token is not genuine. */
export const readMailToken = (secrets: Pick<Secrets, 'verifiesShort'>, token: string): TrackedMail | undefined => {
  if (!/^[\w-]{40,56}$/.test(token)) return undefined
  const ids = idsOf(token, token.length - signatureLength)
  if (ids === undefined || !secrets.verifiesShort(mailText(ids), token.slice(ids.length), 'tracking')) return undefined
  return mailOf(ids)
}

/** Like `readMailToken`, for a link with values of its own, which are signed too. */
export const readPersonalLink = (
  secrets: Pick<Secrets, 'verifiesShort'>,
  ids: string,
  ref: string,
  signed: string,
): { readonly mail: TrackedMail; readonly values: string } | undefined => {
  if (!/^[\w-]{24,40}$/.test(ids) || idsOf(ids, ids.length) === undefined) return undefined
  const values = signed.slice(signatureLength)
  if (!secrets.verifiesShort(linkText(ids, ref, values), signed.slice(0, signatureLength), 'tracking')) return undefined
  return { mail: mailOf(ids), values }
}
