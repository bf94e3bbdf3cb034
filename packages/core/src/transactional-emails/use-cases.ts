import { emailResource } from '../emails/email-resource.js'
import type { SignupForm } from '../forms/signup-form.js'
import type { Clock, NewId } from '../kernel/ports.js'
import type { References } from '../kernel/references.js'
import { blocked } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import { mentionsVerifyLink } from '../lists/subscriber-list.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import { type TransactionalEmail, TransactionalEmailFields, TransactionalEmailView } from './transactional-email.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    transactionalEmails: TransactionalEmail
    subscriberLists: SubscriberList
    signupForms: SignupForm
    senderIdentities: SenderIdentity
  }>
  readonly references: References
  readonly clock: Clock
  readonly newId: NewId
}

/** Spec, "Transactional emails". */
export const transactionalEmailUseCases = (deps: Deps) => {
  const { transactionalEmails, subscriberLists, signupForms } = deps.repositories
  /** The list or form that uses the email for its double opt-in. */
  const userOf = async (
    { _id, projectId }: TransactionalEmail,
    also: { readonly 'doubleOptIn.active'?: true } = {},
  ): Promise<string | undefined> => {
    const where = { projectId, 'doubleOptIn.emailId': _id, ...also }
    const list = await subscriberLists.get(where)
    if (list) return `the list ${list.name}`
    const form = await signupForms.get(where)
    return form && `the form ${form.name}`
  }

  return emailResource(
    transactionalEmails,
    {
      fields: TransactionalEmailFields,
      view: TransactionalEmailView,
      isUsable: mentionsVerifyLink,
      assertUnused: async (email, changed) => {
        const user = await userOf(email, changed && { 'doubleOptIn.active': true })
        if (!user) return
        throw blocked(
          changed
            ? `{{verifyLink}} has to stay: the email is in use for the double opt-in of ${user}.`
            : `The email is in use for the double opt-in of ${user}.`,
        )
      },
    },
    deps,
  )
}
