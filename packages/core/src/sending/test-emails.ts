import { z } from 'zod'
import type { StoredEmail } from '../emails/email-content.js'
import { EmailAddress } from '../kernel/email-address.js'
import { parsed, sentence } from '../kernel/parsed.js'
import type { NewId } from '../kernel/ports.js'
import { invalid, notFound } from '../kernel/refusal.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { refuseSuppressed } from '../suppressions/suppression.js'
import type { Acceptor } from './acceptance.js'
import type { DispatchAudience } from './dispatch.js'
import type { Recipients } from './recipients.js'
import { Data, type SendAnswer, sendAnswer } from './sends.js'

type Deps = {
  readonly repositories: Pick<
    Repositories,
    'campaigns' | 'triggeredEmails' | 'transactionalEmails' | 'subscriberLists' | 'suppressions'
  >
  readonly acceptor: Acceptor
  readonly recipients: Recipients
  readonly newId: NewId
  /** Tells the worker of this process, if there is one, that there is something to do. */
  readonly wake: () => void
}

/** gaps.md, "Sends": the body of a test. */
export const TestEmail = z
  .strictObject({
    type: z.enum(['campaign', 'triggered', 'transactional']).meta({ description: 'What kind of email the id names' }),
    email: EmailAddress.optional().meta({ description: 'Either this or a list is given' }),
    subscriberListId: z
      .string()
      .optional()
      .meta({ description: 'A private list: its active subscribers get the test' }),
    data: Data,
  })
  .refine(({ email, subscriberListId }) => (email === undefined) !== (subscriberListId === undefined), {
    ...sentence('Either email or subscriberListId is given, and not both.'),
    path: ['email'],
  })
  .meta({ id: 'TestEmail' })

type Target = Pick<z.output<typeof TestEmail>, 'email' | 'subscriberListId'>

/** A mail as its recipients will get it, for those who made it: it takes credit and leaves no statistics. */
export const testEmailUseCases = ({ repositories, acceptor, recipients, newId, wake }: Deps) => {
  const { campaigns, triggeredEmails, transactionalEmails, subscriberLists, suppressions } = repositories

  const kinds = {
    campaign: { noun: 'Campaign', emails: campaigns },
    triggered: { noun: 'Triggered email', emails: triggeredEmails },
    transactional: { noun: 'Transactional email', emails: transactionalEmails },
  } as const

  const emailOf = async (projectId: string, type: keyof typeof kinds, _id: string): Promise<StoredEmail> => {
    const { noun, emails } = kinds[type]
    const email = await emails.get({ _id, projectId })
    if (!email) throw notFound(noun)
    return email
  }

  const audienceOf = async (projectId: string, { email, subscriberListId }: Target): Promise<DispatchAudience> => {
    if (email !== undefined) {
      await refuseSuppressed(suppressions, projectId, email)
      return { kind: 'address', email }
    }
    const list = await subscriberLists.get({ _id: subscriberListId ?? '', projectId })
    if (!list) throw notFound('Subscriber list')
    if (!list.private) throw invalid('subscriberListId: a test goes to a private list only')
    return { kind: 'list', subscriberListId: list._id, excludeUnengaged: false }
  }

  return {
    /** @throws Refusal `invalid`, `not-found`, `blocked` like every send */
    test: async ({ projectId, requestId }: Scope, id: string, input: unknown): Promise<SendAnswer> => {
      const { type, data, ...target } = parsed(TestEmail, input)
      const email = await emailOf(projectId, type, id)
      const audience = await audienceOf(projectId, target)
      const dispatch = await acceptor.accept({
        dispatchId: requestId ?? newId(),
        kind: 'test',
        email,
        audience,
        recipients: audience.kind === 'address' ? 1 : (await recipients.count(projectId, audience)).reachable,
        data: data ?? undefined,
      })
      wake()
      return sendAnswer(dispatch)
    },
  }
}
