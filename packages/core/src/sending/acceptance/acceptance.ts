import { type Account, creditCounterKey } from '../../accounts/account.js'
import type { Domain } from '../../domains/domain.js'
import type { IsDomainVerified } from '../../domains/domain-check.js'
import { addressKey } from '../../kernel/email-address.js'
import type { Counters, CounterTake, Runtime } from '../../kernel/ports.js'
import { blocked, Refusal } from '../../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor } from '../../kernel/repository.js'
import { stamps } from '../../kernel/shapes.js'
import type { EmailContent, EmailRecord } from '../../mail/content.js'
import { countDistinctFeeds } from '../../mail/feeds.js'
import type { Project } from '../../projects/project.js'
import { chosenTracking, type TrackingChoice } from '../../projects/tracking-choice.js'
import type { SenderIdentity } from '../../sender-identities/sender-identity.js'
import { channelOfProject, serverChannel } from '../channels/channel.js'
import type { SendingChannelStates } from '../channels/channel-states.js'
import type { Mailers } from '../channels/mailer.js'
import type { Deliveries } from '../ledger/deliveries.js'
import { type Delivery, deliveryId, type ExclusionReason } from '../ledger/delivery.js'
import {
  type AttachmentRef,
  type DirectAudience,
  type Dispatch,
  type DispatchAudience,
  type DispatchKind,
  directAudienceAddresses,
  dispatchMoves,
  isDirectAudience,
  statisticsEmailId,
} from '../ledger/dispatch.js'
import { restrictionMessage } from '../restriction/restriction.js'
import { keepAttachments, type MailAttachments, removeStoredAttachments } from './attachments.js'
import { contentSnapshots, type SnapshotDeps } from './content-snapshots.js'
import { creditRefusal, type Quota, type QuotaSettings, quotaRefusal, quotasFor } from './quota.js'
import { type UsableSender, unusableSenderRefusal, usableSenders } from './usable-sender.js'

export type UnqueuedMail = { readonly dispatch: Dispatch; readonly delivery: Delivery }

/** A worker slot for a mail being accepted; its delivery is created leased. Call `send` or `cancel`. */
export type WorkerReservation = Required<Pick<Delivery, 'worker' | 'leaseUntil'>> & {
  /** The delivery is durable. */
  readonly send: (mail: UnqueuedMail) => void
  /** The mail was refused, or another process leased it. */
  readonly cancel: () => void
}

type LocalWorker = {
  /** Undefined: the mail must wait in the queue. */
  readonly reserve: (dispatch: Dispatch) => WorkerReservation | undefined
  /** Starts the sending thread and the plain-text conversion while recipients are still counted. */
  readonly warmUp: (content: EmailContent, projectId: string) => void
}

/** Without a worker, mails are queued. */
export const localWorkerRegistration = () => {
  let worker: LocalWorker | undefined
  return {
    reserve: (dispatch: Dispatch): WorkerReservation | undefined => worker?.reserve(dispatch),
    warmUp: (content: EmailContent, projectId: string): void => worker?.warmUp(content, projectId),
    set: (started: LocalWorker): void => {
      worker = started
    },
  }
}
export type LocalWorkerRegistration = ReturnType<typeof localWorkerRegistration>

type AcceptanceDeps = SnapshotDeps &
  Pick<Runtime, 'files' | 'sleep'> & {
    readonly repositories: RepositoriesFor<{
      accounts: Account
      projects: Project
      senderIdentities: SenderIdentity
      domains: Domain
      dispatches: Dispatch
    }>
    readonly deliveries: Deliveries
    readonly mailers: Pick<Mailers, 'perRegion'>
    readonly states: SendingChannelStates
    readonly counters: Counters
    readonly domainVerified?: IsDomainVerified | undefined
    readonly localWorker: LocalWorker
    readonly wake: () => void
    readonly settings: QuotaSettings
  }

type SendRequest = {
  readonly dispatchId: string
  readonly kind: DispatchKind
  readonly email: EmailRecord
  readonly audience: DispatchAudience
  readonly recipients: number | Promise<number>
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly attachments?: MailAttachments | undefined
  readonly tracking?: TrackingChoice | undefined
  /** Of a stored email, what this send has in its place; absent: the email itself is stored as a snapshot. */
  readonly changes?: Partial<EmailContent> | undefined
  /** The email is stored nowhere else, so the dispatch keeps it. */
  readonly isOwn?: boolean
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly tags?: readonly string[] | undefined
  /** Not before that time; for a `DirectAudience`. */
  readonly sendAt?: string | undefined
  /** Recipients of a `DirectAudience` that get nothing, by `addressKey`. */
  readonly excluded?: ReadonlyMap<string, ExclusionReason> | undefined
}

type CreditHoldRequest = {
  readonly dispatchId: string
  readonly emailId: string
  readonly audience: DispatchAudience
  readonly recipients: number
}

/** To one address. */
export type SingleSendRequest = SendRequest & { readonly audience: Extract<DispatchAudience, { kind: 'address' }> }

type SlottedMail = Pick<UnqueuedMail, 'delivery'> & { readonly reservation: WorkerReservation | undefined }

type Shared = {
  readonly by: Sender
  readonly content: Pick<Dispatch, 'contentId'>
  readonly quotas: readonly Quota[]
}

type Accepting = Pick<Shared, 'quotas'> & Pick<SingleSendRequest, 'audience'> & { readonly dispatch: Dispatch }

/** Then other work gets a turn. */
const requestsPerTurn = 100

type Sender = { readonly project: Project; readonly account: Account; readonly from: UsableSender }

/** Checks everything, takes the credit and stores the dispatch durably before the caller's success response. */
export const dispatchAcceptor = (deps: AcceptanceDeps) => {
  const { repositories, deliveries, mailers, states, counters, files, clock, localWorker, wake, settings } = deps
  const contents = contentSnapshots(deps)
  const pause = () => deps.sleep(0)
  const senderOf = usableSenders(deps)

  const assertOwnAccountSends = async (project: Project, { region }: UsableSender): Promise<void> => {
    if (project.status !== 'byoCloudSes') return
    const state = await states.current(channelOfProject(project, region, mailers))
    if (state?.kind === 'unavailable') throw unusableSenderRefusal(state.reason)
  }

  /**
   * Ignores credit and quota.
   * @throws Refusal `blocked` or `invalid`
   */
  const sender = async (email: EmailRecord, startsNow = false): Promise<Sender> => {
    const project = await getOrNotFound(repositories.projects, { _id: email.projectId })
    if (project.restricted) throw blocked(restrictionMessage(project))
    const from = await senderOf(project, email)
    await assertOwnAccountSends(project, from)
    const account = await getOrNotFound(repositories.accounts, { _id: project.accountId })
    const content = await contents.assertSendable(email)
    if (startsNow) localWorker.warmUp(content, project._id)
    return { project, account, from }
  }

  /** Fixed property order: V8 reads objects of one shape faster. */
  const deliveryTo = (
    dispatch: Dispatch,
    email: string,
    reservation: WorkerReservation | undefined,
    reason: ExclusionReason | undefined,
  ): Delivery => ({
    _id: deliveryId(dispatch._id, addressKey(email)),
    dispatchId: dispatch._id,
    projectId: dispatch.projectId,
    emailId: statisticsEmailId(dispatch).emailId,
    lane: 'transactional',
    email,
    contactId: undefined,
    status: reason ? 'excluded' : reservation ? 'sending' : 'queued',
    attempts: 0,
    notBefore: dispatch.sendAt ?? dispatch.createdAt,
    worker: reservation?.worker,
    leaseUntil: reservation?.leaseUntil,
    reason,
    tags: dispatch.tags,
    createdAt: dispatch.createdAt,
    updatedAt: dispatch.createdAt,
  })

  const asKept = (dispatch: Dispatch): Dispatch =>
    dispatch.data ? { ...dispatch, data: JSON.parse(JSON.stringify(dispatch.data)) } : dispatch

  /** The deliveries of a dispatch whose recipients are known, each with the worker's slot that it may have. */
  const slotted = (
    dispatch: Dispatch,
    audience: DirectAudience,
    excluded: SendRequest['excluded'],
  ): readonly SlottedMail[] =>
    directAudienceAddresses(audience).map((email) => {
      const reason = excluded?.get(addressKey(email))
      const reservation = reason || dispatch.sendAt ? undefined : localWorker.reserve(dispatch)
      return { delivery: deliveryTo(dispatch, email, reservation, reason), reservation }
    })

  const acceptDirect = async (
    dispatch: Dispatch,
    audience: DirectAudience,
    takes: readonly CounterTake[],
    excluded: SendRequest['excluded'],
  ): Promise<CounterTake | undefined> => {
    const mails = slotted(dispatch, audience, excluded)
    const kept = mails.some(({ reservation }) => reservation) ? asKept(dispatch) : dispatch
    let left = mails
    try {
      const { refused, leased } = await deliveries.accept({
        dispatch,
        deliveries: mails.map(({ delivery }) => delivery),
        takes,
      })
      const isLeased = new Set(leased)
      left = mails.filter(({ delivery }) => !isLeased.has(delivery._id))
      for (const { delivery, reservation } of mails)
        if (isLeased.has(delivery._id)) reservation?.send({ dispatch: kept, delivery })
      if (!refused && left.some(({ delivery }) => delivery.status === 'queued')) wake()
      return refused
    } finally {
      for (const { reservation } of left) reservation?.cancel()
    }
  }

  const quotasOf = ({ project, account }: Sender, recipients: number): readonly Quota[] =>
    quotasFor(project, account, recipients, clock(), settings)

  const keptFiles = async ({ dispatchId, attachments = [] }: Pick<SendRequest, 'dispatchId' | 'attachments'>) =>
    attachments.length > 0 ? keepAttachments(files, dispatchId, attachments, pause) : []

  const newDispatch = (
    { dispatchId, kind, email, audience, data, tracking, headers, tags, sendAt }: SendRequest,
    { project, account, from }: Sender,
    content: Pick<Dispatch, 'contentId' | 'own'>,
    kept: readonly AttachmentRef[],
    recipients: number,
  ): Dispatch => {
    const now = clock().toISOString()
    const direct = isDirectAudience(audience)
    return {
      _id: dispatchId,
      projectId: project._id,
      accountId: account._id,
      kind,
      emailId: email._id,
      ...content,
      ...(headers && { headers }),
      ...(tags && { tags }),
      ...(sendAt && { sendAt }),
      ...(data && { data }),
      ...(kept.length > 0 && { attachments: kept }),
      ...(email.feeds.length > 0 && { feeds: { distinct: countDistinctFeeds(email.feeds) } }),
      audience,
      channel: channelOfProject(project, from.region, mailers),
      tracking: chosenTracking(project.tracking, email.tracking, tracking),
      stage: direct ? 'single' : dispatchMoves.begin.to,
      creditsHeld: direct ? 0 : recipients,
      progressAt: now,
      ...stamps(now),
    }
  }

  /** What the mails of each email share, or why none can be sent. */
  const sharedContents = async (requests: readonly SingleSendRequest[]) => {
    const shared = new Map<EmailRecord, Shared | Refusal>()
    for (const email of new Set(requests.map((request) => request.email)))
      try {
        const by = await sender(email)
        const contentId = await contents.keep(by.project, email, by.from)
        shared.set(email, { by, content: { contentId }, quotas: quotasOf(by, 1) })
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        shared.set(email, error)
      }
    return shared
  }

  /** The refusal of each dispatch, if any. */
  const acceptReady = async (
    id: string,
    all: readonly Accepting[],
  ): Promise<ReadonlyMap<string, Refusal | undefined>> => {
    const refusals = new Map<string, Refusal | undefined>()
    const slots = all.map((one) => ({ ...one, mails: slotted(one.dispatch, one.audience, undefined) }))
    const left = new Set(slots.flatMap(({ mails }) => mails))
    try {
      const accepted = await deliveries.acceptAll(
        id,
        slots.map(({ dispatch, mails, quotas }) => ({
          dispatch,
          deliveries: mails.map(({ delivery }) => delivery),
          takes: quotas.map(({ key, n, limit }): CounterTake => ({ key, n, limit })),
        })),
      )
      for (const [place, { dispatch, mails, quotas }] of slots.entries()) {
        const { refused, leased = [] } = accepted[place] ?? {}
        refusals.set(dispatch._id, refused && quotaRefusal(quotas, refused))
        for (const mail of mails) {
          if (!leased.includes(mail.delivery._id)) continue
          left.delete(mail)
          mail.reservation?.send({ dispatch: asKept(dispatch), delivery: mail.delivery })
        }
      }
      if ([...left].some(({ delivery }) => delivery.status === 'queued')) wake()
      return refusals
    } finally {
      for (const { reservation } of left) reservation?.cancel()
    }
  }

  const assertWithin = async (quotas: readonly Quota[]): Promise<void> => {
    for (const quota of quotas)
      if (quota.limit !== undefined && (await counters.used(quota.key)) + quota.n > quota.limit)
        throw quotaRefusal(quotas, quota)
  }

  const acceptForMany = async (
    dispatch: Dispatch,
    takes: readonly CounterTake[],
    isHeld: boolean,
  ): Promise<CounterTake | undefined> => {
    const { refused } = await deliveries.accept({ dispatch, deliveries: [], takes, isHeld })
    if (!refused) wake()
    return refused
  }

  return {
    sender,
    contentOf: contents.current,

    /** Where this number of mails from the sender would be charged now. */
    quotas: quotasOf,

    /** Leaves credit out: what is scheduled holds its own. @throws Refusal `blocked` */
    withinQuota: (by: Sender, recipients: number): Promise<void> => assertWithin(quotasOf(by, recipients).slice(1)),

    /**
     * Includes credit.
     * @throws Refusal like `accept`
     */
    assertAcceptable: async (email: EmailRecord, recipients: number): Promise<void> =>
      assertWithin(quotasOf(await sender(email), recipients)),

    /**
     * Replaces credit held under the id.
     * @throws Refusal `blocked` if the credit is insufficient; then nothing has changed
     */
    hold: async (
      { project, account }: Sender,
      { dispatchId, emailId, audience, recipients }: CreditHoldRequest,
    ): Promise<void> => {
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
      const refused = await deliveries.hold({
        dispatch,
        key: creditCounterKey(account._id),
        limit: account.creditGranted,
      })
      if (refused) throw creditRefusal()
    },

    release: async (dispatchId: string): Promise<void> => {
      const held = await repositories.dispatches.get({ _id: dispatchId, stage: 'held' })
      if (held) await deliveries.release(dispatchId, creditCounterKey(held.accountId), clock().toISOString())
    },

    /**
     * Durable when it resolves; stores nothing when it throws. Idempotent by `dispatchId`; uses credit held under it first.
     * @throws Refusal `blocked` or `invalid`
     */
    accept: async (request: SendRequest): Promise<Dispatch> => {
      const { dispatchId, kind, email, audience, changes, isOwn, excluded } = request
      const direct = isDirectAudience(audience) ? audience : undefined
      const sent = changes ? { ...email, ...changes } : email
      const [by, recipients] = await Promise.all([sender(sent, !direct), request.recipients])
      const { project, from } = by
      const content = isOwn
        ? { own: await contents.own(project, sent, from) }
        : { contentId: await contents.keep(project, email, from), ...(changes && { own: { email: changes } }) }
      const kept = await keptFiles(request)
      const isHeld =
        kind === 'campaign' && (await repositories.dispatches.get({ _id: dispatchId, stage: 'held' })) !== undefined
      const quotas = quotasOf(by, recipients)
      const takes = quotas.map(({ key, n, limit }): CounterTake => ({ key, n, limit }))
      const dispatch = newDispatch(request, by, content, kept, recipients)
      const refused = await (direct
        ? acceptDirect(dispatch, direct, takes, excluded)
        : acceptForMany(dispatch, isHeld ? takes.slice(1) : takes, isHeld))
      if (!refused) return dispatch
      if (kept.length > 0) await removeStoredAttachments(files, dispatchId)
      throw quotaRefusal(quotas, refused)
    },

    /**
     * Mails of a project to one address each: all that can be accepted become durable in one step, in order as far as credit and quota last. The
     * refusal in place of each other.
     * @param id see `Deliveries.acceptAll`
     */
    acceptAll: async (id: string, requests: readonly SingleSendRequest[]): Promise<readonly (Dispatch | Refusal)[]> => {
      const shared = await sharedContents(requests)
      const ready = new Map<string, Accepting>()
      const refusals = new Map<string, Refusal>()
      for (const [place, request] of requests.entries()) {
        if (place % requestsPerTurn === requestsPerTurn - 1) await pause()
        const { dispatchId, email, audience } = request
        const of = shared.get(email)
        if (!of || of instanceof Refusal) {
          if (of) refusals.set(dispatchId, of)
          continue
        }
        const dispatch = newDispatch(request, of.by, of.content, await keptFiles(request), 1)
        ready.set(dispatchId, { dispatch, audience, quotas: of.quotas })
      }
      for (const [dispatchId, refused] of await acceptReady(id, [...ready.values()]))
        if (refused) {
          refusals.set(dispatchId, refused)
          if (ready.get(dispatchId)?.dispatch.attachments) await removeStoredAttachments(files, dispatchId)
        }
      return requests.map(({ dispatchId }) => refusals.get(dispatchId) ?? (ready.get(dispatchId) as Accepting).dispatch)
    },
  }
}
export type SendAcceptor = ReturnType<typeof dispatchAcceptor>
