import { z } from 'zod'
import type { Runtime } from '../kernel/ports.js'
import type { ReferenceGuard } from '../kernel/references.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import { Id } from '../kernel/shapes.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import { type EmailRecord, ListEmailView, listEmailShape } from '../mail/content.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import { emailResource } from './email-resource.js'

/** Spec, "Triggered email". */
export const TriggeredEmailFields = z
  .strictObject({ ...listEmailShape, subscriberListId: Id })
  .meta({ id: 'TriggeredEmailFields' })
export type TriggeredEmailFields = z.input<typeof TriggeredEmailFields>

/** A triggered email in responses. */
export const TriggeredEmailView = ListEmailView.extend({ subscriberListId: Id }).meta({
  id: 'TriggeredEmail',
  description: 'An email to active subscribers of a list, sent on request',
})
export type TriggeredEmailView = z.output<typeof TriggeredEmailView>

export type TriggeredEmail = EmailRecord & { readonly subscriberListId: string; readonly excludeUnengaged: boolean }

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    triggeredEmails: TriggeredEmail
    subscriberLists: SubscriberList
    senderIdentities: SenderIdentity
  }>
  readonly references: ReferenceGuard
}

/** Spec, "Triggered emails". */
export const triggeredEmailUseCases = (deps: Deps) => {
  const { triggeredEmails, subscriberLists } = deps.repositories
  return emailResource(
    triggeredEmails,
    {
      fields: TriggeredEmailFields,
      view: TriggeredEmailView,
      subscriberLists,
      assertReferences: async ({ projectId, subscriberListId }) => {
        await getOrNotFound(subscriberLists, { _id: subscriberListId, projectId })
      },
    },
    deps,
  )
}
