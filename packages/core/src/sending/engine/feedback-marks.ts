import type { Secrets } from '../../kernel/ports.js'

/** The names in a mail for its project and account. */
export type FeedbackMarks = { readonly project: string; readonly account: string }

/**
 * Keyed digests for `Feedback-ID`. A mailbox provider's feedback loop groups by them: they stay the same as long as the server's secret
 * does, and do not reveal the ids.
 */
export const feedbackMarks = (
  secrets: Pick<Secrets, 'sign'>,
  { projectId, accountId }: { readonly projectId: string; readonly accountId: string },
): FeedbackMarks => {
  // The colons keep the signed text distinct from the body of any token.
  const mark = (kind: string, id: string) => secrets.sign(`feedback:${kind}:${id}`).slice(0, 16)
  return { project: mark('project', projectId), account: mark('account', accountId) }
}
