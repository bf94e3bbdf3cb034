import { emailResource } from '../emails/email-resource.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { blocked } from '../kernel/refusal.js'
import type { Repositories } from '../records.js'
import { TransactionalEmailFields, TransactionalEmailView } from './transactional-email.js'

type Deps = {
  readonly repositories: Pick<
    Repositories,
    'transactionalEmails' | 'subscriberLists' | 'signupForms' | 'senderIdentities'
  >
  readonly clock: Clock
  readonly newId: NewId
}

/** Spec, "Transactional emails". */
export const transactionalEmailUseCases = (deps: Deps) => {
  const { transactionalEmails, subscriberLists, signupForms } = deps.repositories
  return emailResource(
    transactionalEmails,
    {
      noun: 'Transactional email',
      fields: TransactionalEmailFields,
      view: TransactionalEmailView,
      assertUnused: async ({ _id, projectId }) => {
        const list = await subscriberLists.get({ projectId, 'doubleOptIn.emailId': _id })
        if (list) throw blocked(`The email is in use for the double opt-in of the list ${list.name}.`)
        const form = await signupForms.get({ projectId, 'doubleOptIn.emailId': _id })
        if (form) throw blocked(`The email is in use for the double opt-in of the form ${form.name}.`)
      },
    },
    deps,
  )
}
