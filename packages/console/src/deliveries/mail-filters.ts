import type { FoundMail } from '../api/types.js'
import type { Messages } from '../text/en.js'
import type { IconName } from '../ui/icons.js'
import type { Tone } from '../ui/states.js'

export const mailStatusBadges = {
  scheduled: ['plain', 'clock', 'mailWaiting'],
  'being-sent': ['running', 'send', 'mailBeingSent'],
  sent: ['good', 'check', 'mailSent'],
  failed: ['badly', 'close', 'mailFailed'],
  excluded: ['warning', 'barred', 'mailLeftOut'],
} as const satisfies Readonly<Record<FoundMail['status'], readonly [Tone, IconName, keyof Messages]>>

export const mailKinds = {
  campaign: 'campaign',
  triggered: 'triggeredEmail',
  transactional: 'transactionalEmail',
  direct: 'mailDirect',
  test: 'mailTest',
} as const satisfies Readonly<Record<FoundMail['kind'], keyof Messages>>

export const filterNames = ['email', 'subject', 'reason', 'status', 'kind', 'from', 'to'] as const
export type MailFilters = Readonly<Record<(typeof filterNames)[number], string>>

export const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00`))

/** The beginning of a day in the person's time zone, or of the day after. */
export const instantOf = (day: string, later = 0): string => {
  const at = new Date(`${day}T00:00`)
  at.setDate(at.getDate() + later)
  return at.toISOString()
}

/** As the API takes them; both days of a span are part of it. */
export const queryOf = ({ email, subject, reason, status, kind, from, to }: MailFilters) => ({
  ...(email !== '' && { email }),
  ...(subject !== '' && { subject }),
  ...(reason !== '' && { reason }),
  ...(Object.hasOwn(mailStatusBadges, status) && { status }),
  ...(Object.hasOwn(mailKinds, kind) && { kind }),
  ...(isDay(from) && { from: instantOf(from) }),
  ...(isDay(to) && { to: instantOf(to, 1) }),
})

/** Ids of mails contain addresses. */
export const mailHref = (href: (path: string) => string, deliveryId: string): string =>
  href(`/deliveries/${encodeURIComponent(deliveryId)}`)

/** The reverse of `mailHref`. */
export const mailIdIn = (part: string): string => {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

export const explainHref = (href: (path: string) => string, email: string): string =>
  `${href('/deliveries/explain')}?${new URLSearchParams({ address: email })}`
