import type { Secrets } from '../../kernel/ports.js'

/** What a mail calls the project and the account that it comes from. */
export type FeedbackMarks = { readonly project: string; readonly account: string }

/**
 * Keyed digests for `Feedback-ID`: a mailbox provider's feedback loop groups by them, as they stay the same for as long as the
 * server's secret does, and they tell nobody the ids.
 */
export const feedbackMarks = (
  secrets: Pick<Secrets, 'sign'>,
  { projectId, accountId }: { readonly projectId: string; readonly accountId: string },
): FeedbackMarks => {
  // With its colons, what is signed is no body of a token.
  const mark = (kind: string, id: string) => secrets.sign(`feedback:${kind}:${id}`).slice(0, 16)
  return { project: mark('project', projectId), account: mark('account', accountId) }
}
