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

/** Brevo, "Transactional webhooks". */
const Event = z.object({
  event: z.string(),
  'X-Mailin-custom': z.string().max(2_000).optional(),
  reason: z.string().nullish(),
})
type Event = z.output<typeof Event>
const Posted = z.union([Event, z.array(Event).max(5_000)])

/** Brevo's events return this text unchanged. */
export const brevoReferenceHeaderFor = (reference: string): string => `X-Mailin-custom: ${reference}`

const judged: readonly string[] = ['hard_bounce', 'invalid_email']

const reportsOf = ({ event, 'X-Mailin-custom': reference, reason }: Event): readonly ProviderReport[] => {
  if (event === 'spam' || event === 'complaint') return [{ reference, type: 'complaint' }]
  if (!judged.includes(event) || !isPermanentRefusal({ text: reason ?? '', judgedPermanent: true }))
    return noProviderMailEvents
  return [{ reference, type: 'bounce', reason: bounceReason(undefined, reason) }]
}

/** Brevo signs nothing: the secret is a bearer token (`auth` of its webhooks) or the password in the webhook's URL. */
export const brevoEvents = ({
  secret,
  ...options
}: MailProviderOptions & { readonly secret: string }): ProviderWebhook => {
  const record = reportRecorder(options, 'brevo')
  return {
    path: '/v1/brevo/events',
    largest: 1024 * 1024,
    admit: ({ authorization }) => {
      if (!authorizationHasSecret(authorization, secret)) throw notGenuine()
    },
    receive: async (body) => record([parseProviderWebhookBody(body, Posted)].flat().flatMap(reportsOf)),
  }
}
