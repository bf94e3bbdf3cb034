import { z } from 'zod'
import { asciiHost, isAscii } from './host-name.js'
import { sentence } from './parsed.js'

/**
 * An address that RFC 5321 permits without SMTPUTF8: one `@`, a dot-atom before it (≤ 64 characters), a host name with a dot after it, ≤
 * 254 characters in all. Quoted local parts are rejected: no mailbox provider issues them.
 */
const address =
  /^(?=.{3,254}$)(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/

/** Index of the domain; 0 if there is no `@`. */
const domainAt = (text: string) => text.lastIndexOf('@') + 1

/** Names in DNS may end with a dot; domains of addresses may not (RFC 5321 section 2.3.5). */
const endsWithDot = /[.\u3002\uff0e\uff61]$/

/**
 * Normalises an address for storage: trims it and converts its domain to ASCII (UTS #46); the rest keeps its spelling. A text that is not
 * an address is returned as it is.
 */
export const keptAddress = (text: string): string => {
  const trimmed = text.trim()
  const at = domainAt(trimmed)
  const domain = trimmed.slice(at)
  const host = at === 0 || endsWithDot.test(domain) ? undefined : asciiHost(domain)
  return host === undefined ? trimmed : trimmed.slice(0, at) + host
}

/** Expects a text normalised by `keptAddress`. */
export const isEmailAddress = (text: string) =>
  address.test(text) && asciiHost(text.slice(domainAt(text))) !== undefined

/** Fast check: true for most addresses, which `keptAddress` would not change. False does not mean that the text is invalid. */
export const isPlainAddress = (text: string) => address.test(text) && !/xn--/i.test(text)

/** Whether only the local part keeps this from being an accepted address: non-ASCII local parts require SMTPUTF8 (RFC 6531). */
export const hasForeignLocalPart = (text: string) => {
  const at = domainAt(text)
  return at > 1 && !isAscii(text.slice(0, at)) && isEmailAddress(`a@${text.slice(at)}`)
}

export const foreignLocalPart = 'the part before the @ has to be in ASCII'

/** Keeps the spelling of the local part; look-ups use `addressKey`. */
export const EmailAddress = z
  .string(sentence('Invalid email format'))
  .overwrite(keptAddress)
  .refine((text) => !hasForeignLocalPart(text), {
    ...sentence(`Invalid email format: ${foreignLocalPart}`),
    abort: true,
  })
  .refine(isEmailAddress, sentence('Invalid email format'))
  .meta({
    id: 'EmailAddress',
    format: 'email',
    description:
      'E-mail address; its domain may be given in Unicode and is kept in ASCII; else kept as it is spelled, found in any spelling of upper and lower case',
    example: 'ada@example.com',
  })

/** The key by which an address is unique and looked up: normalised, in lower case. */
export const addressKey = (email: string) => keptAddress(email).toLowerCase()

export const domainOf = (email: string) => email.slice(domainAt(email)).toLowerCase()
