import type { Secrets } from '../kernel/ports.js'

/** All ids are hexadecimal, as made by `NewId`. */
export type TrackedMailIds = {
  /** 12 digits. */
  readonly table: string
  readonly dispatchId: string
  /** Absent if the dispatch has only one mail. */
  readonly contactId?: string | undefined
}

/** `token`: links that all recipients share; `personal`: links with values of their own. */
type MailTokens = {
  readonly token: string
  readonly personal: (ref: string, values: string) => string
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** Three hexadecimal digits as two of base64url. */
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
/** 96 bits. */
const signatureLength = 16
const [tableLength, idLength] = [8, 16]

/** For a mail to a list, and for the only mail of a dispatch. */
export const mailTokenLength = {
  many: tableLength + 2 * idLength + signatureLength,
  one: tableLength + idLength + signatureLength,
} as const

const mailText = (ids: string) => `mail:${ids}`
const linkText = (ids: string, ref: string, values: string) => `link:${ids}:${ref}:${values}`

/**
 * One signature for all links of a mail (ADR 0041): `base64url(table, dispatch, contact)` and 96 bits of an HMAC.
 * Undefined if an id does not have the form of `NewId`.
 */
export const mailTokens = (
  secrets: Pick<Secrets, 'sign'>,
  { table, dispatchId }: Pick<TrackedMailIds, 'table' | 'dispatchId'>,
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

const mailOf = (ids: string): TrackedMailIds => {
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

/** Undefined if the token is not genuine. */
export const readMailToken = (secrets: Pick<Secrets, 'verifiesShort'>, token: string): TrackedMailIds | undefined => {
  if (!/^[\w-]{40,56}$/.test(token)) return undefined
  const ids = idsOf(token, token.length - signatureLength)
  if (ids === undefined || !secrets.verifiesShort(mailText(ids), token.slice(ids.length), 'tracking')) return undefined
  return mailOf(ids)
}

/** The values are signed too. */
export const readPersonalisedLink = (
  secrets: Pick<Secrets, 'verifiesShort'>,
  ids: string,
  ref: string,
  signed: string,
): { readonly mail: TrackedMailIds; readonly values: string } | undefined => {
  if (!/^[\w-]{24,40}$/.test(ids) || idsOf(ids, ids.length) === undefined) return undefined
  const values = signed.slice(signatureLength)
  if (!secrets.verifiesShort(linkText(ids, ref, values), signed.slice(0, signatureLength), 'tracking')) return undefined
  return { mail: mailOf(ids), values }
}
