import { z } from 'zod'
import type { Campaign } from '../campaigns/campaign.js'
import { Warnings } from '../emails/email-content.js'
import { unknownNames } from '../emails/unknown-names.js'
import { EmailAddress } from '../kernel/email-address.js'
import { foundIn } from '../kernel/found.js'
import { besideOthers, parsed, sentence } from '../kernel/parsed.js'
import type { NewId, Secrets } from '../kernel/ports.js'
import { invalid } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import type { Acceptor } from '../sending/accepting/acceptance.js'
import type { Recipients } from '../sending/audience/recipients.js'
import type { DispatchAudience } from '../sending/ledger/dispatch.js'
import type { Suppression } from '../suppressions/suppression.js'
import { refuseSuppressed } from '../suppressions/suppression.js'
import type { Template } from '../templates/template.js'
import type { TransactionalEmail } from '../transactional-emails/transactional-email.js'
import type { TriggeredEmail } from '../triggered-emails/triggered-email.js'
import { Data, SendAnswer, sendAnswer } from './sends.js'
import { testLinks } from './test-links.js'
import { testedEmails } from './tested-emails.js'

type Deps = {
  readonly repositories: RepositoriesFor<{
    campaigns: Campaign
    triggeredEmails: TriggeredEmail
    transactionalEmails: TransactionalEmail
    templates: Template
    subscriberLists: SubscriberList
    suppressions: Suppression
  }>
  readonly acceptor: Acceptor
  readonly recipients: Recipients
  readonly newId: NewId
  readonly secrets: Pick<Secrets, 'sign' | 'signed'>
  readonly settings: { readonly publicUrl: string }
}

/** The body of a test (gaps.md, "Sends"). */
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
    ...besideOthers,
  })
  .meta({ id: 'TestEmail' })
export type TestEmail = z.input<typeof TestEmail>

/** The test is queued; the warnings name the merge tags that stay empty. */
export const TestSent = SendAnswer.extend({ warnings: Warnings }).meta({ id: 'TestSent' })
export type TestSent = z.output<typeof TestSent>

type Target = Pick<z.output<typeof TestEmail>, 'email' | 'subscriberListId'>

/**
 * Sends an email to its authors as its recipients will get it. It takes credit and creates no statistics. The links of a test to an address
 * change nothing; subscribers of a private list get their own working links.
 */
export const testEmailUseCases = (deps: Deps) => {
  const { repositories, acceptor, recipients, newId } = deps
  const { subscriberLists, suppressions } = repositories
  const emails = testedEmails(repositories)
  const withLinks = testLinks(deps)

  const audienceOf = async (projectId: string, { email, subscriberListId }: Target): Promise<DispatchAudience> => {
    if (email !== undefined) {
      await refuseSuppressed(suppressions, projectId, email)
      return { kind: 'address', email }
    }
    const list = await foundIn(subscriberLists, { _id: subscriberListId ?? '', projectId })
    if (!list.private) throw invalid('subscriberListId: a test goes to a private list only')
    return { kind: 'list', subscriberListId: list._id, excludeUnengaged: false }
  }

  return {
    /** @throws Refusal `invalid`, `not-found`, `blocked` as other sends */
    test: async ({ projectId, requestId }: Scope, id: string, input: TestEmail): Promise<TestSent> => {
      const { type, data: given, ...target } = parsed(TestEmail, input)
      const email = await emails.ofKind(projectId, type, id)
      const data = given ?? {}
      const audience = await audienceOf(projectId, target)
      const dispatch = await acceptor.accept({
        dispatchId: requestId ?? newId(),
        kind: 'test',
        email,
        audience,
        recipients:
          audience.kind === 'address' ? 1 : recipients.count(projectId, audience).then((one) => one.reachable),
        data: withLinks(type, id, data),
      })
      const warnings = [...unknownNames(email, data)]
      return { ...sendAnswer(dispatch), ...(warnings.length > 0 && { warnings }) }
    },
  }
}
