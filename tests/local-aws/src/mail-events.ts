export type SentMail = {
  readonly messageId: string
  /** The AWS account that accepted it. */
  readonly accountId?: string
  readonly region: string
  readonly from: string
  readonly to: readonly string[]
  /** The received message. */
  readonly mime: string
  readonly tags: Readonly<Record<string, string>>
  readonly configurationSet: string | undefined
  readonly tenant: string | undefined
}

const headersOf = (mime: string) =>
  mime
    .slice(0, mime.indexOf('\r\n\r\n'))
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line) => ({ name: line.slice(0, line.indexOf(':')), value: line.slice(line.indexOf(':') + 1).trim() }))

/** An event in the format of SES event publishing; `detail` goes under the type's own key. */
export const mailEvent = (
  { messageId, accountId = '123456789012', region, from, to, mime, tags, configurationSet }: SentMail,
  eventType: string,
  detail: Readonly<Record<string, unknown>>,
  now: number,
): string => {
  const key = eventType.charAt(0).toLowerCase() + eventType.slice(1)
  const timestamp = new Date(now).toISOString()
  const all = Object.entries({ ...(configurationSet && { 'ses:configuration-set': configurationSet }), ...tags })
  return JSON.stringify({
    eventType,
    mail: {
      timestamp,
      source: from,
      sourceArn: `arn:aws:ses:${region}:${accountId}:identity/${from}`,
      sendingAccountId: accountId,
      messageId,
      destination: to,
      headersTruncated: false,
      headers: headersOf(mime),
      tags: Object.fromEntries(all.map(([name, value]) => [name, [value]])),
    },
    [key]: { ...(eventType === 'Send' ? {} : { timestamp }), ...detail },
  })
}

/** The name of an event type in configuration sets. */
export const publishedType = (eventType: string): string => eventType.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase()

type Happening = readonly [eventType: string, detail: Readonly<Record<string, unknown>>]

const bounce = (bounceSubType: string, to: string): Happening => [
  'Bounce',
  {
    feedbackId: '0100-local',
    bounceType: 'Permanent',
    bounceSubType,
    bouncedRecipients: [{ emailAddress: to, action: 'failed', status: '5.1.1', diagnosticCode: 'smtp; 550 5.1.1' }],
    reportingMTA: 'dns; local.amazonses.com',
  },
]
const delivered = (to: string): Happening => [
  'Delivery',
  { processingTimeMillis: 1, recipients: [to], smtpResponse: '250 ok', reportingMTA: 'local.amazonses.com' },
]
const complained = (to: string): Happening => [
  'Complaint',
  { feedbackId: '0100-local', complainedRecipients: [{ emailAddress: to }], complaintFeedbackType: 'abuse' },
]

const simulator = 'simulator.amazonses.com'

export const isSimulator = (address: string): boolean => address.toLowerCase().endsWith(`@${simulator}`)

/**
 * The outcome of a mail: the given addresses bounce, the mailbox simulator's addresses behave as documented, with or without a label after
 * `+`, and all others accept it.
 */
export const happenings = (to: string, bounces: (address: string) => boolean = () => false): readonly Happening[] => {
  if (bounces(to)) return [bounce('General', to)]
  const local = isSimulator(to) ? to.toLowerCase().split(/[+@]/)[0] : ''
  if (local === 'bounce') return [bounce('General', to)]
  if (local === 'suppressionlist') return [bounce('OnAccountSuppressionList', to)]
  if (local === 'complaint') return [delivered(to), complained(to)]
  return [delivered(to)]
}
