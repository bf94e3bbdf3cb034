import { z } from 'zod'
import { asciiHost, isAscii } from './host-name.js'
import { sentence } from './parsed.js'

/**
 * An address as RFC 5321 lets it travel without SMTPUTF8: one `@`, a dot-atom before it (≤ 64 characters), a host name with a dot
 * after it, ≤ 254 characters in all. Quoted local parts are refused: no mail provider hands them out.
 */
const address =
  /^(?=.{3,254}$)(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/

/** Where the domain begins; 0 where there is none. */
const domainAt = (text: string) => text.lastIndexOf('@') + 1

/** Names in DNS may end with a dot; those of addresses do not (RFC 5321 section 2.3.5). */
const endsWithDot = /[.\u3002\uff0e\uff61]$/

/**
 * An address as it is kept: without blanks around it, its domain in ASCII (UTS #46) and else as it is spelled. What is none is left
 * as it is.
 */
export const keptAddress = (text: string): string => {
  const trimmed = text.trim()
  const at = domainAt(trimmed)
  const domain = trimmed.slice(at)
  const host = at === 0 || endsWithDot.test(domain) ? undefined : asciiHost(domain)
  return host === undefined ? trimmed : trimmed.slice(0, at) + host
}

/** Whether the text, as `keptAddress` gives it, is an address. */
export const isEmailAddress = (text: string) =>
  address.test(text) && asciiHost(text.slice(domainAt(text))) !== undefined

/** Whether the text is an address that is kept as it stands, which most are: one that is not may be one all the same. */
export const isPlainAddress = (text: string) => address.test(text) && !/xn--/i.test(text)

/** Whether an address could travel but for the part before the @, which takes SMTPUTF8 where it is not in ASCII (RFC 6531). */
export const hasForeignLocalPart = (text: string) => {
  const at = domainAt(text)
  return at > 1 && !isAscii(text.slice(0, at)) && isEmailAddress(`a@${text.slice(at)}`)
}

export const foreignLocalPart = 'the part before the @ has to be in ASCII'

/** Keeps its spelling but for the domain; see `addressKey` for how it is found again. */
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

/** By what an address is unique and found: as it is kept, in lower case. */
export const addressKey = (email: string) => keptAddress(email).toLowerCase()

export const domainOf = (email: string) => email.slice(domainAt(email)).toLowerCase()
