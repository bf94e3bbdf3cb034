import { z } from 'zod'
import { oneLine } from './mime.js'

/** RFC 5322 section 2.2: printable ASCII without a colon. */
const fieldName = /^[!-9;-~]{1,76}$/

/** Replies (RFC 5322, 3.6.4), automatic mails (RFC 3834), lists (RFC 2369, 2919, 8058), and what mailboxes show. */
const known = new Set([
  'auto-submitted',
  'comments',
  'importance',
  'in-reply-to',
  'keywords',
  'list-archive',
  'list-help',
  'list-id',
  'list-owner',
  'list-post',
  'list-subscribe',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'organization',
  'precedence',
  'priority',
  'references',
  'sensitivity',
])

/** Posthorn and mail providers take these as instructions, on the server's account. */
const orders = /^x-(?:posthorn|ses|smtpapi|mailgun|mailjet|mj|mc|msys|pm|sib|mailin|sparkpost|elastic|sg)(?:-|$)/

/** Structured: parsers read no encoded words in them (RFC 2047, 5). */
const isStructured = (name: string) => /^(?:list-|in-reply-to|references|auto-submitted)/.test(name)

const messageIds = /^<[^<>\s]{1,900}>(?: +<[^<>\s]{1,900}>)*$/

export const mostHeaders = 30
const longestValue = 998
/** Longer words could not be folded (RFC 5322, 2.1.1). */
const longestWord = 900

const wrongName = (name: string): string | undefined => {
  const key = name.toLowerCase()
  if (!fieldName.test(name)) return 'expected a name of at most 76 letters, digits and hyphens'
  if (orders.test(key)) return 'is an instruction to the mail provider and cannot be set'
  if (known.has(key) || /^x-./.test(key)) return undefined
  return 'cannot be set: Posthorn writes it, or mail servers rely on it. Use a name that begins with X-'
}

const wrongValue = (name: string, value: string): string | undefined => {
  const key = name.toLowerCase()
  if (value.length === 0 || value.length > longestValue) return `expected 1 to ${longestValue} characters`
  if (oneLine(value) !== value) return 'must not contain line breaks, control characters or blanks at its ends'
  if (value.split(' ').some((word) => word.length > longestWord))
    return `expected words of at most ${longestWord} characters`
  if (isStructured(key) && !/^[\x20-\x7e]*$/.test(value)) return 'expected ASCII'
  if ((key === 'in-reply-to' || key === 'references') && !messageIds.test(value))
    return 'expected message ids in angle brackets, separated by blanks'
  return undefined
}

/** gaps.md, "Headers of a send". */
export const MailHeaders = z
  .record(z.string(), z.string(), 'expected an object of texts')
  .check(({ value, issues }) => {
    const names = Object.keys(value)
    const wrong = (message: string, path: readonly string[] = []) =>
      issues.push({ code: 'custom', message, input: value, path: [...path] })
    if (names.length > mostHeaders) wrong(`expected at most ${mostHeaders} headers`)
    const seen = new Set<string>()
    for (const name of names.slice(0, mostHeaders)) {
      const key = name.toLowerCase()
      const reason = seen.has(key)
        ? 'is given twice, in other letters'
        : (wrongName(name) ?? wrongValue(name, value[name] ?? ''))
      if (reason) wrong(reason, [name])
      seen.add(key)
    }
  })
  .describe(
    'Further headers, as they are: names that begin with X-, In-Reply-To, References, List-*, Auto-Submitted, Precedence, Importance, Priority, Sensitivity, Organization, Keywords, Comments',
  )
