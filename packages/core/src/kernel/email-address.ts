import { z } from 'zod'
import { sentence } from './parsed.js'

/**
 * An address as RFC 5321 lets it travel without SMTPUTF8: one `@`, a dot-atom before it (≤ 64 characters), a host name with a dot
 * after it, ≤ 254 characters in all. Quoted local parts are refused: no mail provider hands them out.
 */
const address =
  /^(?=.{3,254}$)(?=[^@]{1,64}@)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])$/

/** Keeps its spelling; see `addressKey` for how it is found again. */
export const EmailAddress = z
  .string(sentence('Invalid email format'))
  .refine((text) => address.test(text), sentence('Invalid email format'))
  .meta({
    id: 'EmailAddress',
    format: 'email',
    description: 'E-mail address; kept as it is spelled, found in any spelling of upper and lower case',
    example: 'ada@example.com',
  })

export const isEmailAddress = (text: string) => address.test(text)

/** By what an address is unique and found: its lower-case spelling. */
export const addressKey = (email: string) => email.toLowerCase()

export const domainOf = (email: string) => email.slice(email.lastIndexOf('@') + 1).toLowerCase()
