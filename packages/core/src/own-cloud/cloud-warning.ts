import { z } from 'zod'

/** Why events of an own account do not arrive. */
export const cloudWarningCodes = [
  'no-public-url',
  'events-unknown',
  'events-check-not-allowed',
  'no-configuration-set',
  'no-topic',
  'events-not-published',
  'topic-not-subscribed',
] as const

export const CloudWarning = z
  .object({
    code: z.enum(cloudWarningCodes).meta({ description: 'For programs; later versions may add codes' }),
    message: z.string().meta({ description: 'The sentence in `warnings`' }),
    values: z.record(z.string(), z.string()).meta({
      description:
        'What the message names, where it does: region, configurationSet, topic, eventsUrl, and events separated by commas',
    }),
  })
  .meta({
    id: 'CloudWarning',
    description: 'Why events of an own account do not arrive, and what to do; the account still sends',
  })
export type CloudWarning = z.output<typeof CloudWarning>
