import type { StoredEmail } from '../emails/email-content.js'

/** Spec, "Transactional email". */
export type TransactionalEmail = StoredEmail
