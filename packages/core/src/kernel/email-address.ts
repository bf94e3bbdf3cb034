import { z } from 'zod'
import { asciiHost, isAscii } from './host-name.js'
import { messageWithoutFieldName } from './parsed.js'

/**
 * RFC 5321 without SMTPUTF8: a dot-atom of at most 64 characters, `@`, a host name with a dot; at most 254 in all.
 * Quoted local parts are rejected: no mailbox provider issues them.
 */
const address =
  /^(?=.{3,254}$)(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/

/** 0 without `@`. */
const domainAt = (text: string) => text.lastIndexOf('@') + 1

/** Unlike names in DNS, domains of addresses may not end with a dot (RFC 5321 section 2.3.5). */
const endsWithDot = /[.\u3002\uff0e\uff61]$/

/** Trims the address and converts its domain to ASCII (UTS #46). Other texts stay unchanged. */
export const normalisedAddress = (text: string): string => {
  const trimmed = text.trim()
  const at = domainAt(trimmed)
  const domain = trimmed.slice(at)
  const host = at === 0 || endsWithDot.test(domain) ? undefined : asciiHost(domain)
  return host === undefined ? trimmed : trimmed.slice(0, at) + host
}

/** Expects a text normalised by `normalisedAddress`. */
export const isEmailAddress = (text: string) =>
  address.test(text) && asciiHost(text.slice(domainAt(text))) !== undefined

/** Fast check: `normalisedAddress` would not change it. False does not mean invalid. */
export const isNormalisedAddress = (text: string) => address.test(text) && !/xn--/i.test(text)

/** Non-ASCII local parts require SMTPUTF8 (RFC 6531), which is not supported. */
export const hasUnicodeLocalPart = (text: string) => {
  const at = domainAt(text)
  return at > 1 && !isAscii(text.slice(0, at)) && isEmailAddress(`a@${text.slice(at)}`)
}

export const unicodeLocalPartMessage = 'the part before the @ has to be in ASCII'

/** Keeps the spelling; look-ups use `addressKey`. */
export const EmailAddress = z
  .string(messageWithoutFieldName('Invalid email format'))
  .overwrite(normalisedAddress)
  .refine((text) => !hasUnicodeLocalPart(text), {
    ...messageWithoutFieldName(`Invalid email format: ${unicodeLocalPartMessage}`),
    abort: true,
  })
  .refine(isEmailAddress, messageWithoutFieldName('Invalid email format'))
  .meta({
    id: 'EmailAddress',
    format: 'email',
    description:
      'E-mail address; its domain may be given in Unicode and is kept in ASCII; else kept as it is spelled, found in any spelling of upper and lower case',
    example: 'ada@example.com',
  })

/** The normalised, lower-case key by which an address is unique. */
export const addressKey = (email: string) => normalisedAddress(email).toLowerCase()

/** Each once, in the last spelling. */
export const uniqueAddresses = (emails: readonly string[]): readonly string[] => [
  ...new Map(emails.map((email) => [addressKey(email), email])).values(),
]

export const domainOf = (email: string) => email.slice(domainAt(email)).toLowerCase()

/** `a…@example.com`: the owner recognises it, and nobody else learns it. */
export const maskedAddress = (email: string): string => `${email.slice(0, 1)}…@${email.slice(domainAt(email))}`
