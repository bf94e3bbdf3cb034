import { z } from 'zod'
import { EmailView, emailContentShape, type StoredEmail } from '../emails/email-content.js'
import type { Referable } from '../kernel/references.js'

/** Spec, "Transactional email". */
export const TransactionalEmailFields = z.strictObject(emailContentShape).meta({ id: 'TransactionalEmailFields' })
export type TransactionalEmailFields = z.input<typeof TransactionalEmailFields>

/** A transactional email in responses. */
export const TransactionalEmailView = EmailView.meta({
  id: 'TransactionalEmail',
  description: 'An email to one address, with the caller’s data',
})
export type TransactionalEmailView = z.output<typeof TransactionalEmailView>

export type TransactionalEmail = StoredEmail & Referable
