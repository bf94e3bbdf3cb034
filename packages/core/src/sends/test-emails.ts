import { z } from 'zod'
import type { Campaign } from '../campaigns/campaign.js'
import type { Template } from '../emails/templates.js'
import type { TransactionalEmail } from '../emails/transactional-emails.js'
import type { TriggeredEmail } from '../emails/triggered-emails.js'
import { EmailAddress } from '../kernel/email-address.js'
import { messageWithoutFieldName, parsed, runRuleEvenIfInvalid } from '../kernel/parsed.js'
import type { NewId, Secrets } from '../kernel/ports.js'
import { invalid, notFound } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import { assertMay, type Scope } from '../kernel/scope.js'
import type { SubscriberList } from '../lists/subscriber-list.js'
import { type EmailRecord, MergeTagWarnings } from '../mail/content.js'
import { unknownMergeTags } from '../mail/merge-tags.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import type { AudienceRecipients } from '../sending/audience/recipients.js'
import { type DispatchAudience, isDirectAudience } from '../sending/ledger/dispatch.js'
import { refuseSuppressedAddress, type Suppression } from '../suppressions/suppression.js'
import { signedToken } from '../tokens/signed-token.js'
import type { TokenPayload } from '../tokens/tokens.js'
import { MergeData, SendAnswer, sendAnswerOf } from './sends.js'

type LinkDeps = { readonly secrets: Pick<Secrets, 'signed'>; readonly settings: { readonly publicUrl: string } }

export const testedKinds = ['campaign', 'triggered', 'transactional', 'template'] as const
export type TestedKind = (typeof testedKinds)[number]

type Purpose = Extract<TokenPayload, { purpose: 'test' }>['w']

/** Links of a test lead to a page that explains it. The caller may set another confirmation link. */
export const testEmailLinks =
  ({ secrets, settings: { publicUrl } }: LinkDeps) =>
  (kind: TestedKind, emailId: string, data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> => {
    const link = (w: Purpose) =>
      `${publicUrl}/test-link?token=${signedToken(secrets, { purpose: 'test', e: emailId, w })}`
    return {
      ...((kind === 'transactional' || kind === 'template') && { verifyLink: link('verify') }),
      ...data,
      ...(kind !== 'transactional' && {
        unsubscribeLink: link('unsubscribe'),
        pauseSubscriptionLink: link('preferences'),
      }),
    }
  }

export type TestedEmailRepositories = RepositoriesFor<{
  campaigns: Campaign
  triggeredEmails: TriggeredEmail
  transactionalEmails: TransactionalEmail
  templates: Template
}>

export const testedEmailLookup = ({
  campaigns,
  triggeredEmails,
  transactionalEmails,
  templates,
}: TestedEmailRepositories) => {
  const kinds: Readonly<
    Record<TestedKind, { readonly noun: string; readonly get: (where: Where) => Promise<EmailRecord | undefined> }>
  > = {
    campaign: { noun: 'Campaign', get: (where) => campaigns.get(where) },
    triggered: { noun: 'Triggered email', get: (where) => triggeredEmails.get(where) },
    transactional: { noun: 'Transactional email', get: (where) => transactionalEmails.get(where) },
    template: {
      noun: 'Template',
      get: async (where) => {
        const template = await templates.get(where)
        return template && { ...template, type: 'visual', feeds: [] }
      },
    },
  }

  return {
    /** @throws Refusal `not-found` that names the kind */
    ofKind: async (projectId: string, kind: TestedKind, _id: string): Promise<EmailRecord> => {
      const email = await kinds[kind].get({ _id, projectId })
      if (!email) throw notFound(kinds[kind].noun)
      return email
    },

    /** Ids are unique across kinds. */
    any: async (where: Where): Promise<{ readonly kind: TestedKind; readonly email: EmailRecord } | undefined> => {
      const found = await Promise.all(testedKinds.map(async (kind) => ({ kind, email: await kinds[kind].get(where) })))
      return found.flatMap(({ kind, email }) => (email ? [{ kind, email }] : []))[0]
    },
  }
}

type Where = { readonly _id: string; readonly projectId?: string }

type Deps = {
  readonly repositories: RepositoriesFor<{
    campaigns: Campaign
    triggeredEmails: TriggeredEmail
    transactionalEmails: TransactionalEmail
    templates: Template
    subscriberLists: SubscriberList
    suppressions: Suppression
  }>
  readonly acceptor: SendAcceptor
  readonly recipients: AudienceRecipients
  readonly newId: NewId
  readonly secrets: Pick<Secrets, 'sign' | 'signed'>
  readonly settings: { readonly publicUrl: string }
}

/** gaps.md, "Sends". */
export const TestEmail = z
  .strictObject({
    type: z.enum(['campaign', 'triggered', 'transactional']).describe('What kind of email the id names'),
    email: EmailAddress.optional().describe('Either this or a list is given'),
    subscriberListId: z.string().optional().describe('A private list: its active subscribers get the test'),
    data: MergeData,
  })
  .refine(({ email, subscriberListId }) => (email === undefined) !== (subscriberListId === undefined), {
    ...messageWithoutFieldName('Either email or subscriberListId is given, and not both.'),
    path: ['email'],
    ...runRuleEvenIfInvalid,
  })
  .meta({ id: 'TestEmail' })
export type TestEmail = z.input<typeof TestEmail>

/** A mail of a template to one address. */
export const TestTemplate = z.strictObject({ email: EmailAddress, data: MergeData }).meta({ id: 'TestTemplate' })
export type TestTemplate = z.input<typeof TestTemplate>

/** Warnings name merge tags that stay empty. */
export const QueuedTestEmail = SendAnswer.extend({ warnings: MergeTagWarnings }).meta({ id: 'TestSent' })
export type QueuedTestEmail = z.output<typeof QueuedTestEmail>

type Target = Pick<z.output<typeof TestEmail>, 'email' | 'subscriberListId'>

/** Takes credit and creates no statistics. Links change nothing, except those of subscribers of a private list. */
export const testEmailUseCases = (deps: Deps) => {
  const { repositories, acceptor, recipients, newId } = deps
  const { subscriberLists, suppressions } = repositories
  const emails = testedEmailLookup(repositories)
  const withLinks = testEmailLinks(deps)

  const audienceOf = async (projectId: string, { email, subscriberListId }: Target): Promise<DispatchAudience> => {
    if (email !== undefined) {
      await refuseSuppressedAddress(suppressions, projectId, email)
      return { kind: 'address', email }
    }
    const list = await getOrNotFound(subscriberLists, { _id: subscriberListId ?? '', projectId })
    if (!list.private) throw invalid('subscriberListId: test emails can be sent to private lists only')
    return { kind: 'list', subscriberListId: list._id, excludeUnengaged: false }
  }

  const accepted = async (
    { projectId, requestId }: Scope,
    type: TestedKind,
    id: string,
    target: Target,
    data: Readonly<Record<string, unknown>>,
  ): Promise<QueuedTestEmail> => {
    const email = await emails.ofKind(projectId, type, id)
    const audience = await audienceOf(projectId, target)
    const dispatch = await acceptor.accept({
      dispatchId: requestId ?? newId(),
      kind: 'test',
      email,
      audience,
      recipients: isDirectAudience(audience) ? 1 : recipients.count(projectId, audience).then((one) => one.reachable),
      data: withLinks(type, id, data),
    })
    const warnings = [...unknownMergeTags(email, data)]
    return { ...sendAnswerOf(dispatch), ...(warnings.length > 0 && { warnings }) }
  }

  return {
    /** To a list only for people who may send. @throws Refusal `invalid`, `not-found`, `blocked` as other sends, `forbidden` */
    test: async (scope: Scope, id: string, input: TestEmail): Promise<QueuedTestEmail> => {
      const { type, data, ...target } = parsed(TestEmail, input)
      if (target.subscriberListId !== undefined) assertMay(scope, 'emails.send')
      return accepted(scope, type, id, target, data ?? {})
    },

    /** @throws Refusal `invalid`, `not-found`, `blocked` as other sends */
    testTemplate: async (scope: Scope, id: string, input: TestTemplate): Promise<QueuedTestEmail> => {
      const { data, ...target } = parsed(TestTemplate, input)
      return accepted(scope, 'template', id, target, data ?? {})
    },
  }
}
