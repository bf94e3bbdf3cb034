import type { requestAuthorization } from '../access/access.js'
import type { Account } from '../accounts/account.js'
import { addressKey, EmailAddress } from '../kernel/email-address.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, Counters } from '../kernel/ports.js'
import { blocked, busy, invalid } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import { MailHeaders, mostHeaders } from '../mail/headers.js'
import type { Project } from '../projects/project.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import type { SendAcceptor } from '../sending/acceptance/acceptance.js'
import { type QuotaSettings, quotasFor } from '../sending/acceptance/quota.js'
import { refuseSuppressedAddress, type Suppression } from '../suppressions/suppression.js'
import type { DirectSend, DirectSendUseCases } from './direct-sends.js'

/** A message that a program sent by SMTP, decoded. */
export type SubmittedMail = {
  readonly from: string
  /** Of the envelope. */
  readonly to: readonly string[]
  readonly replyTo: string | undefined
  readonly subject: string
  readonly text: string | undefined
  readonly html: string | undefined
  readonly attachments: NonNullable<DirectSend['attachments']>
  /** Those that a send cannot set are left out. */
  readonly headers: Readonly<Record<string, string>>
  readonly tags: readonly string[]
  /** The content is that template's. */
  readonly templateId: string | undefined
  /** Makes subject and texts templates. */
  readonly data: Readonly<Record<string, unknown>> | undefined
}

type Deps = {
  readonly repositories: RepositoriesFor<{
    projects: Project
    accounts: Account
    senderIdentities: SenderIdentity
    suppressions: Suppression
  }>
  readonly access: Pick<ReturnType<typeof requestAuthorization>, 'authorize'>
  readonly acceptor: Pick<SendAcceptor, 'sender'>
  readonly sends: Pick<DirectSendUseCases, 'direct'>
  readonly counters: Pick<Counters, 'used'>
  readonly clock: Clock
  readonly settings: QuotaSettings
}

/** The first of one name. */
const settable = (headers: Readonly<Record<string, string>>): Record<string, string> => {
  const fit = Object.entries(headers).filter(([name, value]) => MailHeaders.safeParse({ [name]: value }).success)
  const first = new Map(fit.toReversed().map((header) => [header[0].toLowerCase(), header]))
  return Object.fromEntries([...first.values()].toReversed().slice(0, mostHeaders))
}

/** For SMTP, which names sender and recipients before the mail. */
export const smtpSubmissionUseCases = ({ repositories, access, acceptor, sends, counters, clock, settings }: Deps) => {
  const { projects, accounts, senderIdentities, suppressions } = repositories

  return {
    /** @throws Refusal `forbidden` for every failure */
    signIn: async (projectId: string, key: string): Promise<{ readonly scope: Scope; readonly account: string }> => {
      const scope = await access.authorize(projectId, { bearer: key }, { keys: ['send'] })
      const { accountId } = await getOrNotFound(projects, { _id: scope.projectId })
      return { scope, account: accountId }
    },

    /** @throws Refusal `invalid`, or `blocked` while the project is restricted */
    assertSender: async ({ projectId }: Pick<Scope, 'projectId'>, address: string): Promise<void> => {
      const identity = await senderIdentities.get({ projectId, emailKey: addressKey(address) })
      if (!identity) throw invalid(`from: the project has no sender identity with the address ${address}. Add it first`)
      await acceptor.sender({
        ...{ _id: '', projectId, ...stamps(clock().toISOString()) },
        ...{ name: '', subject: '-', type: 'text', document: '-', feeds: [], senderIdentity: identity._id },
      })
    },

    /** @throws Refusal `invalid` for no address, `blocked` for a suppressed one */
    assertRecipient: async ({ projectId }: Pick<Scope, 'projectId'>, address: string): Promise<void> =>
      refuseSuppressedAddress(suppressions, projectId, parsed(EmailAddress, address)),

    /** @throws Refusal `blocked` without credit, `busy` at a limit that time lifts */
    assertQuota: async ({ projectId }: Pick<Scope, 'projectId'>, recipients: number): Promise<void> => {
      const project = await getOrNotFound(projects, { _id: projectId })
      const account = await getOrNotFound(accounts, { _id: project.accountId })
      for (const { name, key, n, limit, refusal } of quotasFor(project, account, recipients, clock(), settings))
        if (limit !== undefined && (await counters.used(key)) + n > limit)
          throw name === 'credit' ? blocked(refusal) : busy(refusal)
    },

    /** Durable when it resolves to the id of the delivery, or of the dispatch to several. @throws Refusal as `sends.direct` */
    send: async (scope: Scope, mail: SubmittedMail): Promise<string> => {
      const { to, from, subject, text, html, templateId, data, replyTo, attachments, headers, tags } = mail
      const content =
        templateId === undefined
          ? {
              ...(subject.trim() !== '' && { subject }),
              ...(html && { html }),
              // A mail of attachments alone has a text, too.
              ...((text || !html) && { text: text || '\n' }),
              ...(data === undefined && { raw: true }),
            }
          : { template: templateId }
      const { dispatchId, deliveries } = await sends.direct(scope, {
        ...content,
        ...{ to: [...to], from, headers: settable(headers), attachments },
        ...(replyTo && { replyTo }),
        ...(data && { data: { ...data } }),
        ...(tags.length > 0 && { tags: [...tags] }),
      })
      const [only] = deliveries
      return deliveries.length === 1 && only ? only.deliveryId : dispatchId
    },
  }
}
export type SmtpSubmissionUseCases = ReturnType<typeof smtpSubmissionUseCases>
