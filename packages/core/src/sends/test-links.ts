import type { Secrets } from '../kernel/ports.js'
import { issueToken } from '../tokens/issue-token.js'
import type { TokenPayload } from '../tokens/tokens.js'

type Deps = { readonly secrets: Pick<Secrets, 'signed'>; readonly settings: { readonly publicUrl: string } }

export const testedKinds = ['campaign', 'triggered', 'transactional', 'template'] as const
export type TestedKind = (typeof testedKinds)[number]

type Purpose = Extract<TokenPayload, { purpose: 'test' }>['w']

/**
 * Adds the links of the kind's mails to the data of a test or preview. They lead to a page that explains that this is a test. The
 * confirmation link is data of its mail, so the caller may set another.
 */
export const testLinks =
  ({ secrets, settings: { publicUrl } }: Deps) =>
  (kind: TestedKind, emailId: string, data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const link = (w: Purpose) =>
      `${publicUrl}/test-link?token=${issueToken(secrets, { purpose: 'test', e: emailId, w })}`
    return {
      ...((kind === 'transactional' || kind === 'template') && { verifyLink: link('verify') }),
      ...data,
      ...(kind !== 'transactional' && {
        unsubscribeLink: link('unsubscribe'),
        pauseSubscriptionLink: link('preferences'),
      }),
    }
  }
