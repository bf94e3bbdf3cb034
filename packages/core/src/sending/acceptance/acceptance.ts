import { type Account, creditKey } from '../../accounts/account.js'
import type { DesignSystem } from '../../design-systems/design-system.js'
import type { Domain } from '../../domains/domain.js'
import type { DomainVerified } from '../../domains/verified-domains.js'
import type { CooperativeQueue } from '../../kernel/cooperative-queue.js'
import { addressKey } from '../../kernel/email-address.js'
import type { Clock, Counters, Files, Secrets, Sleep, Take } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import { foundIn } from '../../kernel/repository.js'
import { stamps } from '../../kernel/shapes.js'
import type { EmailContent, StoredEmail } from '../../mail/content.js'
import { distinctFeeds } from '../../mail/feeds.js'
import type { EmailTemplates } from '../../mail/plain-text.js'
import type { VisualRenderer } from '../../mail/ports.js'
import type { Project } from '../../projects/project.js'
import { chosenTracking, type TrackingChoice } from '../../projects/tracking-choice.js'
import type { SenderIdentity } from '../../sender-identities/sender-identity.js'
import { channelOf, serverChannel } from '../channels/channel.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Mailers } from '../channels/mailer.js'
import type { Deliveries } from '../ledger/deliveries.js'
import { type Delivery, deliveryId } from '../ledger/delivery.js'
import {
  type Content,
  type Dispatch,
  type DispatchAudience,
  type DispatchKind,
  dispatchMoves,
  statisticsOf,
} from '../ledger/dispatch.js'
import { restrictionMessage } from '../restriction/restriction.js'
import { type Attachments, dropAttachments, keepAttachments } from './attachments.js'
import { contentSnapshots } from './content-snapshots.js'
import { creditRefusal, type QuotaSettings, quotaRefusal, quotasFor } from './quota.js'
import { type UsableSender, unusable, usableSenders } from './usable-sender.js'

export type DirectSend = { readonly dispatch: Dispatch; readonly delivery: Delivery }

/** A worker slot for a mail being accepted; its delivery is created leased. Call `send` or `cancel`. */
export type Reservation = Required<Pick<Delivery, 'worker' | 'leaseUntil'>> & {
  /** The delivery is durable. */
  readonly send: (mail: DirectSend) => void
  /** The mail was refused, or another process leased it. */
  readonly cancel: () => void
}

export type LocalWorker = {
  /** Undefined: the mail must wait in the queue. */
  readonly reserve: (dispatch: Dispatch) => Reservation | undefined
  /** Starts the sending thread and the plain-text conversion while recipients are still counted. */
  readonly warmUp: (content: EmailContent, projectId: string) => void
}

/** Without a worker, mails are queued. */
export const localWorkerSlot = () => {
  let worker: LocalWorker | undefined
  return {
    reserve: (dispatch: Dispatch): Reservation | undefined => worker?.reserve(dispatch),
    warmUp: (content: EmailContent, projectId: string): void => worker?.warmUp(content, projectId),
    set: (started: LocalWorker): void => {
      worker = started
    },
  }
}
export type LocalWorkerSlot = ReturnType<typeof localWorkerSlot>

export type AcceptanceDeps = {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    projects: Project
    senderIdentities: SenderIdentity
    domains: Domain
    contents: Content
    designSystems: DesignSystem
    dispatches: Dispatch
  }>
  readonly deliveries: Deliveries
  readonly mailers: Pick<Mailers, 'perRegion'>
  readonly states: ChannelStates
  readonly counters: Counters
  readonly files: Files
  readonly secrets: Pick<Secrets, 'digest'>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly large: CooperativeQueue
  readonly visualRenderer?: VisualRenderer | undefined
  readonly emailTemplates: Pick<EmailTemplates, 'assertCompiles'>
  readonly domainVerified?: DomainVerified | undefined
  readonly localWorker: LocalWorker
  readonly wake: () => void
  readonly settings: QuotaSettings
}

export type SendRequest = {
  readonly dispatchId: string
  readonly kind: DispatchKind
  readonly email: StoredEmail
  readonly audience: DispatchAudience
  readonly recipients: number | Promise<number>
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly attachments?: Attachments | undefined
  readonly tracking?: TrackingChoice | undefined
}

export type Hold = {
  readonly dispatchId: string
  readonly emailId: string
  readonly audience: DispatchAudience
  readonly recipients: number
}

type Sender = { readonly project: Project; readonly account: Account; readonly from: UsableSender }

/** Checks everything, takes the credit and stores the dispatch durably before the caller's success response. */
export const acceptance = (deps: AcceptanceDeps) => {
  const { repositories, deliveries, mailers, states, counters, files, clock, localWorker, wake, settings } = deps
  const contents = contentSnapshots(deps)
  const pause = () => deps.sleep(0)
  const senderOf = usableSenders(deps)

  const assertOwnAccountSends = async (project: Project, { region }: UsableSender): Promise<void> => {
    if (project.status !== 'byoCloudSes') return
    const state = await states.current(channelOf(project, region, mailers))
    if (state?.kind === 'unavailable') throw unusable(state.reason)
  }

  /**
   * Ignores credit and quota.
   * @throws Refusal `blocked` or `invalid`
   */
  const sender = async (email: StoredEmail, startsNow = false): Promise<Sender> => {
    const project = await foundIn(repositories.projects, { _id: email.projectId })
    if (project.restricted) throw blocked(restrictionMessage(project))
    const from = await senderOf(project, email)
    await assertOwnAccountSends(project, from)
    const account = await foundIn(repositories.accounts, { _id: project.accountId })
    const content = await contents.assertSendable(email)
    if (startsNow) localWorker.warmUp(content, project._id)
    return { project, account, from }
  }

  /** Fixed property order: V8 reads objects of one shape faster. */
  const deliveryTo = (dispatch: Dispatch, email: string, reservation: Reservation | undefined): Delivery => ({
    _id: deliveryId(dispatch._id, addressKey(email)),
    dispatchId: dispatch._id,
    projectId: dispatch.projectId,
    emailId: statisticsOf(dispatch).emailId,
    lane: 'transactional',
    email,
    contactId: undefined,
    status: reservation ? 'sending' : 'queued',
    attempts: 0,
    notBefore: dispatch.createdAt,
    worker: reservation?.worker,
    leaseUntil: reservation?.leaseUntil,
    reason: undefined,
    createdAt: dispatch.createdAt,
    updatedAt: dispatch.createdAt,
  })

  const asKept = (dispatch: Dispatch): Dispatch =>
    dispatch.data ? { ...dispatch, data: JSON.parse(JSON.stringify(dispatch.data)) } : dispatch

  const acceptSingle = async (dispatch: Dispatch, email: string, takes: readonly Take[]): Promise<Take | undefined> => {
    const reservation = localWorker.reserve(dispatch)
    const delivery = deliveryTo(dispatch, email, reservation)
    const kept = reservation ? asKept(dispatch) : dispatch
    let isLeased = false
    try {
      const { refused, leased } = await deliveries.accept({ dispatch, deliveries: [delivery], takes })
      isLeased = leased.length > 0
      if (isLeased) reservation?.send({ dispatch: kept, delivery })
      else if (!refused) wake()
      return refused
    } finally {
      if (!isLeased) reservation?.cancel()
    }
  }

  const acceptForMany = async (
    dispatch: Dispatch,
    takes: readonly Take[],
    isHeld: boolean,
  ): Promise<Take | undefined> => {
    const { refused } = await deliveries.accept({ dispatch, deliveries: [], takes, isHeld })
    if (!refused) wake()
    return refused
  }

  return {
    sender,
    contentOf: contents.current,

    withinQuota: async ({ project, account }: Sender, recipients: number): Promise<void> => {
      const [, ...quotas] = quotasFor(project, account, recipients, clock(), settings)
      for (const quota of quotas)
        if (quota.limit !== undefined && (await counters.used(quota.key)) + quota.n > quota.limit)
          throw quotaRefusal(quotas, quota)
    },

    /**
     * Includes credit.
     * @throws Refusal like `accept`
     */
    assertAcceptable: async (email: StoredEmail, recipients: number): Promise<void> => {
      const { project, account } = await sender(email)
      const quotas = quotasFor(project, account, recipients, clock(), settings)
      for (const quota of quotas)
        if (quota.limit !== undefined && (await counters.used(quota.key)) + quota.n > quota.limit)
          throw quotaRefusal(quotas, quota)
    },

    /**
     * Replaces credit held under the id.
     * @throws Refusal `blocked` if the credit is insufficient; then nothing has changed
     */
    hold: async ({ project, account }: Sender, { dispatchId, emailId, audience, recipients }: Hold): Promise<void> => {
      const now = clock().toISOString()
      const dispatch: Dispatch = {
        _id: dispatchId,
        projectId: project._id,
        accountId: account._id,
        kind: 'campaign',
        emailId,
        contentId: '',
        channel: serverChannel,
        tracking: { opens: false, clicks: false },
        audience,
        stage: 'held',
        creditsHeld: recipients,
        progressAt: now,
        ...stamps(now),
      }
      const refused = await deliveries.hold({ dispatch, key: creditKey(account._id), limit: account.creditGranted })
      if (refused) throw creditRefusal()
    },

    release: async (dispatchId: string): Promise<void> => {
      const held = await repositories.dispatches.get({ _id: dispatchId, stage: 'held' })
      if (held) await deliveries.release(dispatchId, creditKey(held.accountId), clock().toISOString())
    },

    /**
     * Durable when it resolves; stores nothing when it throws. Idempotent by `dispatchId`; uses credit held under it first.
     * @throws Refusal `blocked` or `invalid`
     */
    accept: async (request: SendRequest): Promise<Dispatch> => {
      const { dispatchId, kind, email, audience, data, attachments = [], tracking } = request
      const single = audience.kind === 'address'
      const [{ project, account, from }, recipients] = await Promise.all([sender(email, !single), request.recipients])
      const contentId = await contents.keep(project, email, from)
      const now = clock().toISOString()
      const kept = attachments.length > 0 ? await keepAttachments(files, dispatchId, attachments, pause) : []
      const isHeld =
        kind === 'campaign' && (await repositories.dispatches.get({ _id: dispatchId, stage: 'held' })) !== undefined
      const quotas = quotasFor(project, account, recipients, clock(), settings)
      const takes = quotas.map(({ key, n, limit }): Take => ({ key, n, limit }))
      const dispatch: Dispatch = {
        _id: dispatchId,
        projectId: project._id,
        accountId: account._id,
        kind,
        emailId: email._id,
        contentId,
        ...(data && { data }),
        ...(kept.length > 0 && { attachments: kept }),
        ...(email.feeds.length > 0 && { feeds: { distinct: distinctFeeds(email.feeds) } }),
        audience,
        channel: channelOf(project, from.region, mailers),
        tracking: chosenTracking(project.tracking, email.tracking, tracking),
        stage: single ? 'single' : dispatchMoves.begin.to,
        creditsHeld: single ? 0 : recipients,
        progressAt: now,
        ...stamps(now),
      }
      const refused = await (single
        ? acceptSingle(dispatch, audience.email, takes)
        : acceptForMany(dispatch, isHeld ? takes.slice(1) : takes, isHeld))
      if (!refused) return dispatch
      if (kept.length > 0) await dropAttachments(files, dispatchId)
      throw quotaRefusal(quotas, refused)
    },
  }
}
export type Acceptor = ReturnType<typeof acceptance>
