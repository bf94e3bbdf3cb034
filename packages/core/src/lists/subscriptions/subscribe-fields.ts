import { z } from 'zod'
import { ContactFields } from '../../contacts/contact.js'

/** A subscription, as requested by API or browser. */
export const SubscribeFields = ContactFields.extend({
  status: z.enum(['unverified', 'active']).optional().meta({
    description:
      'Absent: unverified where the list has a double opt-in, else active; active skips it, but not in a browser',
  }),
}).meta({ id: 'SubscribeFields', description: 'Custom-field values are flat top-level keys' })
export type SubscribeFields = z.input<typeof SubscribeFields>
