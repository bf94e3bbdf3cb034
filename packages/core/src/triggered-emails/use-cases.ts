import { emailResource } from '../emails/email-resource.js'
import { foundIn } from '../kernel/found.js'
import type { Clock, NewId } from '../kernel/ports.js'
import type { References } from '../kernel/references.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import type { TriggeredEmail } from './triggered-email.js'
import { TriggeredEmailFields, TriggeredEmailView } from './triggered-email.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    triggeredEmails: TriggeredEmail
    subscriberLists: SubscriberList
    senderIdentities: SenderIdentity
  }>
  readonly references: References
  readonly clock: Clock
  readonly newId: NewId
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
        await foundIn(subscriberLists, { _id: subscriberListId, projectId })
      },
    },
    deps,
  )
}
