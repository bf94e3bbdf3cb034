import { z } from 'zod'
import type { SignupForm } from '../forms/signup-form.js'
import type { Runtime } from '../kernel/ports.js'
import type { RecordReferenceMarks, ReferenceGuard } from '../kernel/references.js'
import { blocked } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { mentionsVerifyLink, type SubscriberList } from '../lists/subscriber-list.js'
import { type EmailRecord, EmailView, emailContentShape } from '../mail/content.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import { emailResource } from './email-resource.js'

/** Spec, "Transactional email". */
export const TransactionalEmailFields = z.strictObject(emailContentShape).meta({ id: 'TransactionalEmailFields' })
export type TransactionalEmailFields = z.input<typeof TransactionalEmailFields>

/** A transactional email in responses. */
export const TransactionalEmailView = EmailView.meta({
  id: 'TransactionalEmail',
  description: 'An email to one address, with the caller’s data',
})
export type TransactionalEmailView = z.output<typeof TransactionalEmailView>

export type TransactionalEmail = EmailRecord & RecordReferenceMarks

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{
    transactionalEmails: TransactionalEmail
    subscriberLists: SubscriberList
    signupForms: SignupForm
    senderIdentities: SenderIdentity
  }>
  readonly references: ReferenceGuard
}

/** Spec, "Transactional emails". */
export const transactionalEmailUseCases = (deps: Deps) => {
  const { transactionalEmails, subscriberLists, signupForms } = deps.repositories
  /** The list or form that uses it for double opt-in. */
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
            ? `The email must keep {{verifyLink}}: it is used for the double opt-in of ${user}.`
            : `The email is used for the double opt-in of ${user}.`,
        )
      },
    },
    deps,
  )
}
