import { z } from 'zod'
import { EmailView, emailContentShape, type StoredEmail } from '../emails/email-content.js'
import { Id } from '../kernel/shapes.js'

/** Spec, "Triggered email". */
export const TriggeredEmailFields = z
  .strictObject({
    ...emailContentShape,
    excludeUnengaged: z
      .boolean()
      .default(false)
      .meta({ description: 'Leaves out contacts in the project’s unengagedContactSegment' }),
    subscriberListId: Id,
  })
  .meta({ id: 'TriggeredEmailFields' })
export type TriggeredEmailFields = z.input<typeof TriggeredEmailFields>

/** A triggered email in responses. */
export const TriggeredEmailView = EmailView.extend({
  excludeUnengaged: z.boolean().meta({ description: 'Whether the project’s unengaged contacts are left out' }),
  subscriberListId: Id,
}).meta({
  id: 'TriggeredEmail',
  description: 'An email to active subscribers of a list, sent on request',
})
export type TriggeredEmailView = z.output<typeof TriggeredEmailView>

export type TriggeredEmail = StoredEmail & { readonly subscriberListId: string; readonly excludeUnengaged: boolean }
