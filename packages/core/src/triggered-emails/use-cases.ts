import { emailResource } from '../emails/email-resource.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { notFound } from '../kernel/refusal.js'
import type { Repositories } from '../records.js'
import { TriggeredEmailFields, TriggeredEmailView } from './triggered-email.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'triggeredEmails' | 'subscriberLists' | 'senderIdentities'>
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
