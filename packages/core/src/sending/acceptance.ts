import type { Account } from '../accounts/account.js'
import { type DomainVerified, lostDomains } from '../domains/verified-domains.js'
import type { StoredEmail } from '../emails/email-content.js'
import type { EmailTemplates } from '../emails/email-templates.js'
import type { VisualRenderer } from '../emails/ports.js'
import { addressKey, domainOf } from '../kernel/email-address.js'
import type { Clock, Counters, Files, Secrets, Sleep } from '../kernel/ports.js'
import { blocked, invalid, notFound } from '../kernel/refusal.js'
import type { Project } from '../projects/project.js'
import type { Repositories } from '../records.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import { type Attachments, dropAttachments, keepAttachments } from './attachments.js'
import { type Delivery, deliveryId } from './delivery.js'
import { type Dispatch, type DispatchAudience, type DispatchKind, statisticsOf } from './dispatch.js'
import { frozenContents } from './frozen-contents.js'
import type { Deliveries } from './ports.js'
import { type QuotaSettings, quotaRefusal, takesFor } from './quota.js'
import { restrictionMessage } from './restriction.js'

export type AcceptanceDeps = {
  readonly repositories: Pick<
    Repositories,
    'accounts' | 'projects' | 'domains' | 'senderIdentities' | 'contents' | 'designSystems'
  >
  readonly deliveries: Deliveries
  readonly counters: Counters
  readonly files: Files
  readonly secrets: Pick<Secrets, 'digest'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly visualRenderer?: VisualRenderer | undefined
  readonly emailTemplates: Pick<EmailTemplates, 'assertCompiles'>
  /** Where it is given, whoever gives it decides who may send, and no check of a domain does. */
  readonly domainVerified?: DomainVerified | undefined
  readonly settings: QuotaSettings
}

export type SendRequest = {
  readonly dispatchId: string
  readonly kind: DispatchKind
  readonly email: StoredEmail
  readonly audience: DispatchAudience
  /** How many mails it takes credit for. */
  readonly recipients: number
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly attachments?: Attachments | undefined
}

type Sender = { readonly project: Project; readonly account: Account; readonly from: SenderIdentity }

/** Stage 1 of a sending: everything is checked, the credit taken and the dispatch durable before anyone hears "yes". */
export const acceptance = (deps: AcceptanceDeps) => {
  const { repositories, deliveries, counters, files, clock, settings } = deps
  const contents = frozenContents(deps)
  const pause = () => deps.sleep(0)

  const whyLost = lostDomains(repositories)

  /** @throws Refusal `invalid` for a sender whose domain has been without DKIM for too long */
  const assertDomainKept = async ({ projectId, email, region }: SenderIdentity): Promise<void> => {
    if (deps.domainVerified) return
    const reason = await whyLost(projectId, domainOf(email), region, clock().toISOString())
    if (reason) throw invalid(`Project Email AWS configurations not found. ${reason}`)
  }

  /**
   * That the email could be sent now, apart from credit and quota.
   * @throws Refusal `blocked` or `invalid` with the reason
   */
  const sender = async (email: StoredEmail): Promise<Sender> => {
    const project = await repositories.projects.get({ _id: email.projectId })
    if (!project) throw notFound('Project')
    if (project.restricted) throw blocked(restrictionMessage(project))
    if (project.status === 'byoCloudSes') throw invalid('Project Email AWS configurations not found.')
    const account = await repositories.accounts.get({ _id: project.accountId })
    if (!account) throw notFound('Account')
    await contents.assertSendable(email)
    const from = email.senderIdentity
      ? await repositories.senderIdentities.get({ _id: email.senderIdentity, projectId: project._id })
      : (
          await repositories.senderIdentities.list({
            where: { projectId: project._id },
            sort: { by: 'position', order: 'asc' },
            skip: 0,
            limit: 1,
          })
        ).items[0]
    if (!from) throw blocked('The project has no sender identity to send from; add one first.')
    await assertDomainKept(from)
    return { project, account, from }
  }

  const deliveryTo = (dispatch: Dispatch, email: string): Delivery => ({
    _id: deliveryId(dispatch._id, addressKey(email)),
    dispatchId: dispatch._id,
    projectId: dispatch.projectId,
    ...statisticsOf(dispatch),
    lane: 'transactional',
    email,
    status: 'queued',
    attempts: 0,
    notBefore: dispatch.createdAt,
    createdAt: dispatch.createdAt,
    updatedAt: dispatch.createdAt,
  })

  return {
    sender,

    /**
     * That credit and quota would allow so many mails now; takes nothing.
     * @throws Refusal `blocked` naming what is used up
     */
    affordable: async (
      { project, account }: Sender,
      recipients: number,
      which: 'credit' | 'everything',
    ): Promise<void> => {
      const takes = takesFor(project, account, recipients, clock(), settings)
      for (const take of which === 'credit' ? takes.slice(0, 1) : takes)
        if (take.limit !== undefined && (await counters.used(take.key)) + take.n > take.limit) throw quotaRefusal(take)
    },

    /**
     * Accepts a sending: durable when it resolves, nothing taken or kept when it throws. Repeating it with the same
     * `dispatchId` accepts it once.
     * @throws Refusal `blocked` or `invalid` with the reason
     */
    accept: async (request: SendRequest): Promise<Dispatch> => {
      const { dispatchId, kind, email, audience, recipients, data, attachments = [] } = request
      const { project, account, from } = await sender(email)
      const contentId = await contents.keep(project, email, from)
      const now = clock().toISOString()
      const kept = attachments.length > 0 ? await keepAttachments(files, dispatchId, attachments, pause) : []
      const single = audience.kind === 'address'
      const dispatch: Dispatch = {
        _id: dispatchId,
        projectId: project._id,
        accountId: account._id,
        kind,
        emailId: email._id,
        contentId,
        ...(data && { data }),
        ...(kept.length > 0 && { attachments: kept }),
        audience,
        stage: single ? 'single' : 'expanding',
        creditsHeld: single ? 0 : recipients,
        progressAt: now,
        createdAt: now,
        updatedAt: now,
      }
      const refused = await deliveries.accept({
        dispatch,
        deliveries: single ? [deliveryTo(dispatch, audience.email)] : [],
        takes: takesFor(project, account, recipients, clock(), settings),
      })
      if (!refused) return dispatch
      if (kept.length > 0) await dropAttachments(files, dispatchId)
      throw quotaRefusal(refused)
    },
  }
}
export type Acceptor = ReturnType<typeof acceptance>
