import type { StoredEmail } from '../emails/email-content.js'

/** Spec, "Triggered email". */
export type TriggeredEmail = StoredEmail & { readonly subscriberListId: string; readonly excludeUnengaged: boolean }
