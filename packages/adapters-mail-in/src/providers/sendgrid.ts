import { createPublicKey, createVerify, type KeyObject } from 'node:crypto'
import { forbidden } from '@posthorn/core/ports/runtime'
import { isPermanentRefusal } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import {
  bounceReason,
  type MailProviderOptions,
  noProviderMailEvents,
  notGenuine,
  type ProviderReport,
  type ProviderRequestHeaders,
  type ProviderWebhook,
  parseProviderWebhookBody,
  reportRecorder,
} from './provider.js'

const text = z.string()

/** SendGrid, "Event Webhook Reference". */
const Event = z.object({
  event: text,
  type: text.optional(),
  status: text.optional(),
  reason: text.optional(),
  bounce_classification: text.optional(),
  posthorn: z.unknown(),
})
type Event = z.output<typeof Event>
const Posted = z.array(Event).max(10_000)

/** SendGrid's events return these arguments as fields. */
export const sendgridReferenceHeaderFor = (reference: string): string =>
  `X-SMTPAPI: {"unique_args": {"posthorn": "${reference}"}}`

/** Not sent: the address bounced before, or is invalid. */
const goneReasons: readonly string[] = ['Bounced Address', 'Invalid']

const isPermanent = ({ event, type, status, reason = '', bounce_classification: classified }: Event): boolean => {
  if (event === 'dropped') return goneReasons.includes(reason)
  if (event !== 'bounce' || type === 'blocked') return false
  return isPermanentRefusal({ status, text: reason, judgedPermanent: classified === 'Invalid Address' })
}

const reportsOf = (event: Event): readonly ProviderReport[] => {
  const reference = typeof event.posthorn === 'string' ? event.posthorn : undefined
  if (event.event === 'spamreport') return [{ reference, type: 'complaint' }]
  if (!isPermanent(event)) return noProviderMailEvents
  return [{ reference, type: 'bounce', reason: bounceReason(event.status, event.reason) }]
}

/** In ms. SendGrid retries for 24 hours. */
const oldest = 25 * 60 * 60_000
const clockError = 5 * 60_000

/**
 * @param base64 DER
 * @throws Error if it is not a key on the curve P-256
 */
export const sendgridPublicKey = (base64: string): KeyObject => {
  const key = createPublicKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'spki' })
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('expected an ECDSA key on the curve P-256')
  return key
}

const signatureField = 'x-twilio-email-event-webhook-signature'
const timeField = 'x-twilio-email-event-webhook-timestamp'
const one = (value: ProviderRequestHeaders[string]) => (typeof value === 'string' ? value : '')

/** Signed by ECDSA over a time and the body. Repeated events change nothing. */
export const sendgridEvents = ({
  publicKey,
  now = Date.now,
  ...options
}: MailProviderOptions & { readonly publicKey: KeyObject }): ProviderWebhook => {
  const record = reportRecorder(options, 'sendgrid')

  return {
    path: '/v1/sendgrid/events',
    // SendGrid batches events up to 768 kB.
    largest: 1024 * 1024,
    admit: (headers) => {
      if (one(headers[signatureField]) === '') throw notGenuine()
      const age = now() - Number(one(headers[timeField]) || Number.NaN) * 1000
      if (!(age <= oldest && age >= -clockError)) throw forbidden('The request is too old.')
    },
    receive: async (body, headers) => {
      const verify = createVerify('sha256').update(one(headers[timeField])).update(body)
      if (!verify.verify(publicKey, one(headers[signatureField]), 'base64')) throw notGenuine()
      await record(parseProviderWebhookBody(body, Posted).flatMap(reportsOf))
    },
  }
}
