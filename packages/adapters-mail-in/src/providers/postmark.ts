import { isPermanentRefusal } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import {
  authorizationHasSecret,
  bounceReason,
  type MailProviderOptions,
  noProviderMailEvents,
  notGenuine,
  type ProviderReport,
  type ProviderWebhook,
  parseProviderWebhookBody,
  reportRecorder,
} from './provider.js'

/** Postmark, "Bounce webhook" and "Spam complaint webhook". */
const Event = z.object({
  RecordType: z.string(),
  Type: z.string().optional(),
  Description: z.string().nullish(),
  Details: z.string().nullish(),
  Metadata: z.record(z.string(), z.unknown()).optional(),
})
type Event = z.output<typeof Event>

/** Postmark's events return this field in `Metadata`. */
export const postmarkReferenceHeaderFor = (reference: string): string => `X-PM-Metadata-posthorn: ${reference}`

/** Postmark's bounce types (of 22) for addresses that accept no mail. */
const judged: readonly string[] = ['HardBounce', 'BadEmailAddress']

const reportsOf = ({
  RecordType,
  Type = '',
  Metadata = {},
  Description,
  Details,
}: Event): readonly ProviderReport[] => {
  const reference = typeof Metadata.posthorn === 'string' ? Metadata.posthorn : undefined
  if (RecordType === 'SpamComplaint' || Type === 'SpamComplaint') return [{ reference, type: 'complaint' }]
  // `Description` is Postmark's own sentence, `Details` the server's reply.
  if (RecordType !== 'Bounce' || !judged.includes(Type)) return noProviderMailEvents
  if (!isPermanentRefusal({ text: Details ?? '', judgedPermanent: true })) return noProviderMailEvents
  return [{ reference, type: 'bounce', reason: bounceReason(undefined, Details || Description) }]
}

/**
 * Postmark signs nothing: the secret is the password in the webhook's URL (`https://posthorn:SECRET@…`) or a bearer token in a custom
 * header.
 */
export const postmarkEvents = ({
  secret,
  ...options
}: MailProviderOptions & { readonly secret: string }): ProviderWebhook => {
  const record = reportRecorder(options, 'postmark')
  return {
    path: '/v1/postmark/events',
    largest: 256 * 1024,
    admit: ({ authorization }) => {
      if (!authorizationHasSecret(authorization, secret)) throw notGenuine()
    },
    receive: async (body) => record(reportsOf(parseProviderWebhookBody(body, Event))),
  }
}
