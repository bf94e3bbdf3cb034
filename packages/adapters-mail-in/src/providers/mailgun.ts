import { createHmac } from 'node:crypto'
import { forbidden } from '@posthorn/core/ports/runtime'
import { isPermanentRefusal } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import {
  bounceReason,
  equalsInConstantTime,
  type MailProviderOptions,
  noProviderMailEvents,
  notGenuine,
  type ProviderReport,
  type ProviderWebhook,
  parseProviderWebhookBody,
  reportRecorder,
} from './provider.js'

const text = z.string()

/** Mailgun, "Webhooks" and "Events": `severity` distinguishes permanent from temporary failures. */
const Posted = z.object({
  signature: z.object({ timestamp: text.max(20), token: text.min(1).max(200), signature: text.max(200) }),
  'event-data': z.object({
    event: text,
    severity: text.optional(),
    reason: text.optional(),
    'delivery-status': z
      .object({
        code: z.unknown(),
        message: text.nullish(),
        description: text.nullish(),
        'enhanced-code': text.nullish(),
      })
      .optional(),
    'user-variables': z.record(text, z.unknown()).optional(),
  }),
})
type Posted = z.output<typeof Posted>

/** Mailgun's events return these variables in `user-variables`. */
export const mailgunReferenceHeaderFor = (reference: string): string =>
  `X-Mailgun-Variables: {"posthorn": "${reference}"}`

/** In ms. Mailgun retries for eight hours. */
const oldest = 9 * 60 * 60_000
const clockError = 5 * 60_000

const reportsOf = (data: Posted['event-data']): readonly ProviderReport[] => {
  const { event, severity, reason, 'delivery-status': delivery, 'user-variables': variables } = data
  const reference = typeof variables?.posthorn === 'string' ? variables.posthorn : undefined
  if (event === 'complained') return [{ reference, type: 'complaint' }]
  const status = delivery?.['enhanced-code'] || undefined
  const text = [delivery?.message, delivery?.description].filter(Boolean).join(' ')
  // `suppress-bounce`: not sent, because the address bounced before.
  const isPermanent = reason === 'suppress-bounce' || (severity === 'permanent' && isPermanentRefusal({ status, text }))
  return event === 'failed' && isPermanent
    ? [{ reference, type: 'bounce', reason: bounceReason(status, text) }]
    : noProviderMailEvents
}

export type MailgunOptions = MailProviderOptions & {
  readonly signingKey: string
  /** Remembers the token until `until`; false if it was remembered already. */
  readonly isNew: (token: string, until: Date) => Promise<boolean>
  /** Lets the provider repeat events that could not be recorded. */
  readonly forget: (token: string) => Promise<void>
}

/** Signed by HMAC-SHA256 over a time and a one-time token. */
export const mailgunEvents = ({
  signingKey,
  isNew,
  forget,
  now = Date.now,
  ...options
}: MailgunOptions): ProviderWebhook => {
  const record = reportRecorder(options, 'mailgun')

  const assertGenuine = ({ timestamp, token, signature }: Posted['signature']): void => {
    const right = createHmac('sha256', signingKey).update(`${timestamp}${token}`).digest('hex')
    if (!equalsInConstantTime(signature, right)) throw notGenuine()
    const age = now() - Number(timestamp) * 1000
    if (!(age <= oldest && age >= -clockError)) throw forbidden('The request is too old.')
  }

  return {
    path: '/v1/mailgun/events',
    largest: 256 * 1024,
    receive: async (body) => {
      const { signature, 'event-data': data } = parseProviderWebhookBody(body, Posted)
      assertGenuine(signature)
      if (!(await isNew(signature.token, new Date(now() + oldest + clockError))))
        throw forbidden('The request was already processed.')
      try {
        await record(reportsOf(data))
      } catch (error) {
        await forget(signature.token)
        throw error
      }
    },
  }
}
