import { fileTypes } from './file-types.js'

/** Why the server refuses an input, in its own words; `{name}` is any text. A sentence is of the first entry that fits it. */
export const serverSentences = [
  'must not be empty',
  'expected at most {most} characters, got {got}',
  'expected at least {least} characters, got {got}',
  'expected at least {least} characters',
  'expected at most {most} characters',
  'expected at most {most} entries, got {got}',
  'expected at least 1 entry, got 0',
  'expected at most {most}, got {got}',
  'expected at least {least}, got {got}',
  'expected more than {least}, got {got}',
  'expected a whole number, got {got}',
  'expected a whole number',
  'expected a URL',
  'expected an http or https URL',
  'Invalid email format',
  'Invalid emails format',
  'does not have the expected form',
  'Missing required field: {field}',
  'expected an ISO date',
  'expected an ISO date or date-time',
  'expected an ISO 8601 date and time',
  'expected an IANA time zone',
  'must not contain line breaks',
  'must not contain control characters',
  'must not contain ; { } < or >',
  'expected a URL on the public internet: this server posts nothing to its own machine or network',
  'must not carry a user name or password',
  'expected letters, digits and underscores, without spaces',
  'a field {name} exists already',
  'Unknown tag: {name}',
  'at most {most} for a contact',
  'expected a color as #rrggbb',
  "expected a font stack such as 'Open Sans', Arial, sans-serif",
  'expected a domain name such as example.com',
  'expected a bare domain, without protocol or path',
  'expected a name below {domain}, such as {example}',
  '{domain} is a domain of this project in {region} already',
  'the domain {domain} is not verified in {region}; add it and its DNS records first',
  'another account has added the domain {domain}, or one above it; add it to this project and verify it by its DNS records first',
  '{email} is a sender identity in {region} already',
  'the content of the email must include {{verifyLink}}',
  'an active double opt-in needs a transactional email',
  'too simple',
  'expected at least one type of event',
  'the campaign was last sent at {time}; to send it again, give a later time',
  'the campaign has not been sent',
  'not possible with a segment',
  'the campaign was sent to another list',
  'the file is UTF-8 except for {count} places, the first in line {line}. Choose an encoding.',
  'folders lie at most {most} deep in one another',
  'the {type} is not complete',
  'expected more than the current {limit}, or 0',
  'the project sends by these credentials: give others',
  'expected 20 to 200 visible ASCII characters',
  'expected 1 to 256 visible ASCII characters',
  'expected a region such as eu-west-1',
  'expected the ARN of an IAM role',
  'Email already exists.',
  'This tag exists already.',
  'This email is already in the suppression list.',
  'The provided email is on the suppression list.',
  'The contact is not unverified on this list.',
  'Double opt-in is not enabled for this list.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in a minute.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} minutes.',
  'The address has had a confirmation mail within ten minutes, or five today. Try again in {count} hours.',
  'The list is in use by the email {name}.',
  'The segment is in use by the campaign {name}.',
  'The domain is in use by the sender identity {email}.',
  'The sender identity is in use by the email {name}.',
  'The sender identity is the only one, and the scheduled campaign {name} needs it. Add another first, or unschedule the campaign.',
  'The email must keep {{verifyLink}}: it is used for the double opt-in of {name}.',
  'The email is used for the double opt-in of {name}.',
  'The project may have at most {limit} {records}. Delete some, or ask the operator to raise the limit.',
  'The {noun} is being used, changed or removed by another request. Please try again.',
  'The campaign is being sent. Retry when it has ended.',
  'Failed mails can be retried only after the sending of the campaign has ended.',
  'The campaign is stopped. Continue it first; then failed mails can be retried by reason.',
  'This mail did not fail in the latest run of the campaign, so it is not sent again.',
  'Only a campaign that is being sent can be stopped.',
  'The campaign is just starting, stopping or ending. Please try again.',
  'Only a campaign that was stopped can be continued.',
  'A campaign cannot be changed within 5 minutes of its scheduled time or while it is being sent.',
  'The recipients of that campaign have been removed.',
  'The campaign has just changed. Please try again.',
  'The campaign has not been sent yet.',
  'Insufficient credits available',
  'Daily sandbox limit exceeded',
  'Monthly limit exceeded',
  'Project Email AWS configurations not found. The email’s sender identity was deleted. Choose another.',
  'Project Email AWS configurations not found. No sender identity of the project has a verified domain. Check the DNS records.',
  'test emails can be sent to private lists only',
  'The first line has {count} columns, and an import takes {most} at most. Is it a table of contacts?',
  'The uploaded file was deleted.',
  'The import was started or cancelled already.',
  'The project has {count} imports that are not done. Start, cancel or await one.',
  'The file is empty.',
  'The file is not text: it may be a spreadsheet or an image. Open it in its program, save it as CSV (UTF-8), and choose that file.',
  'The import has ended already.',
  'The list of failed rows is deleted after 30 days.',
  'The file is larger than {most} bytes.',
  'A project that sends through its own cloud account has its domains there.',
  'The form has a challengeSiteKey and no challengeSecretKey yet: set both, or neither.',
  'The form has no list to subscribe to.',
  'There is a person with this e-mail address already.',
  'An account must keep at least one owner. Make somebody else an owner first.',
  'An owner owns the whole account, not one project.',
  'A team has at most {most} members.',
  'A second factor is set up already. Remove it first.',
  'You have a view of this name already.',
  'You have {most} views in this project already. Remove one.',
  'A limit increase is pending already.',
  'Production access needs a domain whose {records} records are verified: add one and check it first.',
  'This API key is in use already.',
  'No webhook is configured.',
  "Mime type '{type}' not allowed! Allowed mime types are: {types}",
] as const

const place = /(?<!\{)\{(\w+)\}(?!\})/

/** From a capital to a full stop; a value at the beginning stays as it is. */
const asSentence = (text: string, beginsWithValue: boolean): string =>
  `${beginsWithValue ? text : text.charAt(0).toUpperCase() + text.slice(1)}${/[.?!…]$/.test(text) ? '' : '.'}`

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const withoutStop = (sentence: string): string => sentence.replace(/\.$/, '')

const patternOf = (sentence: string): RegExp => {
  const parts = withoutStop(sentence).split(place)
  return new RegExp(`^${parts.map((part, index) => (index % 2 === 0 ? literal(part) : `(?<${part}>.+)`)).join('')}$`)
}

const patterns = serverSentences.map((sentence) => ({ sentence, pattern: patternOf(sentence) }))

/**
 * Its function returns other sentences as they are: those of templates, for example, which quote code. `shown`: for the values, which may be texts of
 * strangers.
 */
export const translatorOf =
  (translations: Readonly<Record<(typeof serverSentences)[number], string>>) =>
  (sentence: string, shown: (value: string) => string): string => {
    for (const known of patterns) {
      const match = known.pattern.exec(withoutStop(sentence))
      if (!match) continue
      const words = translations[known.sentence].split(place)
      const valueAt = (name: string) => {
        const value = match.groups?.[name] ?? ''
        return shown(name === 'types' ? fileTypes(value) : value)
      }
      const text = words.map((word, index) => (index % 2 === 0 ? word : valueAt(word))).join('')
      return asSentence(text, words[0] === '')
    }
    return sentence
  }
