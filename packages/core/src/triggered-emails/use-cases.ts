import { emailResource } from '../emails/email-resource.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { notFound } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import type { SubscriberList } from '../subscribers/subscriber-list.js'
import type { TriggeredEmail } from './triggered-email.js'
import { TriggeredEmailFields, TriggeredEmailView } from './triggered-email.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    triggeredEmails: TriggeredEmail
    subscriberLists: SubscriberList
    senderIdentities: SenderIdentity
  }>
  readonly clock: Clock
  readonly newId: NewId
}

/** Spec, "Triggered emails". */
export const triggeredEmailUseCases = (deps: Deps) => {
  const { triggeredEmails, subscriberLists } = deps.repositories
  return emailResource(
    triggeredEmails,
    {
      noun: 'Triggered email',
      fields: TriggeredEmailFields,
      view: TriggeredEmailView,
      assertReferences: async ({ projectId, subscriberListId }) => {
        if (!(await subscriberLists.get({ _id: subscriberListId, projectId }))) throw notFound('Subscriber list')
      },
    },
    deps,
  )
}
