import { creditKey } from '../../accounts/account.js'
import type { Contact } from '../../contacts/contact.js'
import { chargedWork } from '../../emails/template-language.js'
import type { MailEvent } from '../../events/event.js'
import { counted } from '../../figures/figure.js'
import { maxAttempts, spreadOf } from '../../kernel/backoff.js'
import { addressKey } from '../../kernel/email-address.js'
import { fairLimiter } from '../../kernel/fair-limiter.js'
import { grouped } from '../../kernel/grouped.js'
import type { Clock, Sleep } from '../../kernel/ports.js'
import { isBusy, shortened } from '../../kernel/refusal.js'
import type { Project } from '../../projects/project.js'
import type { Recipient, Recipients } from '../audience/recipients.js'
import { serverChannel } from '../channels/channel.js'
import { channelLimiters } from '../channels/channel-limiters.js'
import type { ChannelStates } from '../channels/channel-states.js'
import type { Leave } from '../channels/leaves.js'
import { type Mail, type Mailer, MailerUnavailable } from '../channels/mailer.js'
import type { Pace } from '../channels/pace.js'
import type { MailFacts } from '../ledger/attribution.js'
import type { Settlement } from '../ledger/deliveries.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'
import type { Mendable, Stopped } from './dispatch-ends.js'
import type { LinkedDispatch, RecipientLinks } from './links.js'
import { type Result, resultOf } from './outcomes.js'
import { type Preparation, type PreparedDispatch, Unpreparable } from './preparing.js'
import type { Settled } from './settling.js'

type Deps = {
  readonly states: ChannelStates
  readonly preparation: Preparation
  readonly recipients: Recipients
  readonly pace: Pace
  readonly links: (project: Project, dispatch: LinkedDispatch, contact: Contact) => RecipientLinks
  /** Of a mail whose dispatch cannot be prepared. */
  readonly factsOf: (delivery: Delivery) => Promise<MailFacts | undefined>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly worker: string
  /** Stops the whole dispatch, of which nothing can be sent. */
  readonly stop: (dispatchId: string, reason: string, mendable?: Mendable) => Promise<Stopped | undefined>
  /** Where the mail comes back to, and what it is called elsewhere. */
  readonly returnsOf: (delivery: Delivery) => Pick<Mail, 'envelopeFrom' | 'reference'>
  /** The way out refused the address for good. Told before the outcome is recorded, perhaps more than once. */
  readonly bounced: (delivery: Delivery, subject: string | undefined) => Promise<void>
}

/** What a worker lends to the delivering of what it has claimed. */
export type Hand = {
  readonly settle: (settled: Settled) => Promise<void>
  /** Whether the worker still has the delivery: a lease can run out while a process is frozen. */
  readonly holds: (id: string) => boolean
  /** Whether nothing more is to be begun. */
  readonly stopping: () => boolean
}

/** A mail, and its subject where that is not the content's as it stands. */
type Made = { readonly mime: string; readonly subject: string | undefined }

/** A dispatch that can be sent, and what by. */
type Ready = { readonly prepared: PreparedDispatch; readonly mailer: Mailer; readonly isShut: boolean }

type Sendable = {
  readonly delivery: Delivery
  readonly prepared: PreparedDispatch
  readonly mailer: Mailer
  readonly recipient: Recipient | undefined
}

const errorOf = (name: string, error: unknown): DeliveryError => ({
  name,
  message: shortened(error instanceof Error ? error.message : String(error)),
})

const notAttempted = (result: Omit<Result, 'attempted'>): Result => ({ ...result, attempted: false })

/** After so long, a project of which too much was waiting is tried again. */
const busyTime = 60_000
/** After so long, what a channel had no room for; and, where it lets nothing through, up to twice `busyTime`. */
const noRoomTime = 1_000

const channelOf = ({ dispatch: { channel = serverChannel } }: PreparedDispatch) => channel

/**
 * What stops a sending to many is its own failure, and told as such: its recipients are left out, or wait for a retry. Of a single mail
 * it is the mail's.
 */
const ofStopped = (stopped: Stopped | undefined, error: Error): Result => {
  if (stopped && !stopped.isSingle && !stopped.resumes)
    return notAttempted({ to: 'excluded', reason: 'stopped', refund: stopped.refund })
  const name = error instanceof MailerUnavailable ? error.name : 'DispatchStopped'
  const failed = { to: 'failed', error: errorOf(name, error) } as const
  return notAttempted({ ...failed, ...(stopped && { refund: stopped.refund }) })
}

type Beside = Pick<Settlement, 'counted' | 'receivedBy'>

/** What an outcome counts for, and whom it reached. */
const besideOf = (
  { subjects }: Pick<MailFacts, 'subjects'>,
  { to }: Result,
  recipient: Recipient | undefined,
): Beside => {
  if (subjects.length === 0 || (to !== 'sent' && to !== 'failed')) return {}
  const contactId = recipient?.contact?._id
  return { counted: counted(subjects, to), ...(to === 'sent' && contactId && { receivedBy: contactId }) }
}

/** The event that an outcome is; none of a mail that is put off or left out, and none of a test's. */
const eventOf = (
  { dispatch: { kind, emailId }, subject: stored, subjects }: MailFacts,
  { _id, projectId, attempts, email: address, subject: earlier }: Delivery,
  { to, error, subject = earlier ?? stored }: Result,
  now: string,
): MailEvent | undefined => {
  const mail = { deliveryId: _id, emailId, kind, subject, to: address, sentAt: now }
  if (subjects.length === 0) return undefined
  if (to === 'sent') return { _id: `${_id}:sent`, projectId, at: now, type: 'sent', mail }
  if (to === 'failed')
    return {
      _id: `${_id}:failed:${attempts}`,
      projectId,
      at: now,
      type: 'failed',
      mail,
      ...(error && { errors: [error] }),
    }
  return undefined
}

/** What is rendered before others have their turn, in characters of work and of mail: some milliseconds. */
const renderSlice = 1_000_000

/** Each project has its share of whatever mails wait for, and its transactional mail one of its own. */
const shareOf = ({ delivery: { projectId, lane } }: Sendable) => `${projectId}:${lane}`

/** Stages 4 to 6 of a sending for deliveries that a worker has claimed: who they are now, their mail, its way out, its outcome. */
export const delivering = ({
  states,
  preparation,
  recipients,
  pace,
  links,
  factsOf,
  clock,
  worker,
  stop,
  returnsOf,
  bounced,
  sleep,
}: Deps) => {
  const inTurn = channelLimiters()
  const toRender = fairLimiter(1)
  let rendered = 0

  /**
   * One mail after the other, projects by turns; after each slice of work, whatever else this process does has its turn. What is
   * made or loaded elsewhere is waited for without keeping the others.
   */
  const renderedInTurn = async (sendable: Sendable): Promise<Made | Result> => {
    const { making } = await toRender(async () => {
      if (rendered >= renderSlice) {
        await sleep(0)
        rendered = 0
      }
      const before = chargedWork()
      const begun = render(sendable)
      rendered += chargedWork() - before + ('mime' in begun ? begun.mime.length : 0)
      return { making: begun }
    }, shareOf(sendable))
    return making
  }

  /** Of mails whose making has to wait: nothing was tried. */
  const later = (): Result =>
    notAttempted({ to: 'queued', notBefore: new Date(clock().getTime() + busyTime).toISOString() })

  /** A failure to make a mail, whatever it is, is this recipient's alone, and would come again with every try. */
  const notRendered = (error: unknown, { accountId }: PreparedDispatch['dispatch']): Result =>
    isBusy(error)
      ? later()
      : notAttempted({ to: 'failed', error: errorOf('RenderFailure', error), refund: creditKey(accountId) })

  /** The mail, or why there is none. */
  const render = (sendable: Sendable): Made | Result | Promise<Made | Result> => {
    const {
      delivery,
      prepared: { dispatch, project, email },
      recipient,
    } = sendable
    const { audience } = dispatch
    const contact = recipient?.contact
    const address = recipient?.email ?? delivery.email
    try {
      const mail = {
        to: { email: address, name: contact?.name ?? '' },
        contact: contact ?? { email: address, name: '', tags: [], customFields: {} },
        ...(audience.kind !== 'address' &&
          contact && {
            links: links(project, { _id: dispatch._id, subscriberListId: audience.subscriberListId }, contact),
          }),
        deliveryId: delivery._id,
        date: clock(),
      }
      const subject = email.subjectOf(mail)
      const made = email.render(mail)
      if (typeof made === 'string') return { mime: made, subject }
      return made.then((mime) => ({ mime, subject })).catch((error: unknown) => notRendered(error, dispatch))
    } catch (error) {
      return notRendered(error, dispatch)
    }
  }

  /** What is known without sending anything. */
  const decided = ({ delivery, prepared, recipient }: Sendable): Result | undefined => {
    if (delivery.attempts >= maxAttempts)
      return notAttempted({
        to: 'failed',
        error: delivery.error ?? errorOf('WorkerDied', 'Every worker that tried this mail died.'),
      })
    const reason = recipient ? recipient.excluded : 'unsubscribed'
    return reason && notAttempted({ to: 'excluded', reason, refund: creditKey(prepared.dispatch.accountId) })
  }

  const send = async (sendable: Sendable): Promise<Result> => {
    const { delivery, prepared, mailer, recipient } = sendable
    const known = decided(sendable)
    if (known) return known
    const made = await renderedInTurn(sendable)
    if (!('mime' in made)) return made
    const { mime, subject } = made
    const { project, email } = prepared
    const to = recipient?.email ?? delivery.email
    const outcome = await mailer.send({
      deliveryId: delivery._id,
      projectId: project._id,
      from: email.from,
      ...returnsOf(delivery),
      to,
      mime,
    })
    if (outcome.kind === 'refused' && outcome.bounce) await bounced(delivery, subject)
    if (outcome.kind === 'deferred' && outcome.throttled) pace.throttled(channelOf(prepared))
    return { ...resultOf(delivery, outcome, clock(), mailer.reportsSends), ...(subject !== undefined && { subject }) }
  }

  /** Looks recipients of the same audience up at once: two or three reads for the whole batch. */
  const lookUp = async (deliveries: readonly Delivery[], { projectId, audience }: PreparedDispatch['dispatch']) => {
    if (audience.kind === 'address') {
      const found = await recipients.ofAddresses(
        projectId,
        deliveries.map((one) => one.email),
      )
      const byKey = new Map(found.map((one) => [addressKey(one.email), one]))
      return (delivery: Delivery) => byKey.get(addressKey(delivery.email))
    }
    const found = await recipients.ofContacts(
      projectId,
      audience.subscriberListId,
      deliveries.flatMap((one) => one.contactId ?? []),
    )
    return (delivery: Delivery) => (delivery.contactId ? found.get(delivery.contactId) : undefined)
  }

  const audienceKey = ({ dispatch: { projectId, audience } }: PreparedDispatch) =>
    audience.kind === 'address' ? projectId : `${projectId}:${audience.subscriberListId}`

  /** Of mails that there is no room for by their channel now: nothing was tried. */
  const noRoom = ({ prepared, isShut }: Pick<Ready, 'prepared' | 'isShut'>): Result => {
    const rest = isShut ? busyTime * (1 + spreadOf(prepared.dispatch._id)) : noRoomTime
    return notAttempted({ to: 'queued', notBefore: new Date(clock().getTime() + rest).toISOString() })
  }

  /** With what it leaves by; without, while that cannot be had for a reason that may pass. @throws Unpreparable, MailerUnavailable, Refusal `busy` */
  const readied = async (dispatchId: string): Promise<Ready | Pick<Ready, 'prepared' | 'isShut'>> => {
    const prepared = await preparation.prepared(dispatchId)
    const state = await states.current(channelOf(prepared))
    if (state?.kind === 'unavailable') throw new MailerUnavailable(state.reason)
    if (state?.kind !== 'ready') return { prepared, isShut: state !== undefined }
    return { prepared, mailer: state.mailer, isShut: state.ratePerSecond === 0 }
  }

  /** Sends what was claimed, as many mails at once as their channels take, and settles each. */
  return ({ settle, holds, stopping }: Hand) => {
    /** Without facts, an outcome that is nobody's to count or hear of. */
    const record = (delivery: Delivery, result: Result, facts?: MailFacts, recipient?: Recipient) => {
      const now = clock().toISOString()
      return settle({
        settlement: { _id: delivery._id, worker, now, ...result, ...(facts && besideOf(facts, result, recipient)) },
        event: facts && eventOf(facts, delivery, result, now),
      })
    }

    const readyOrStopped = async (dispatchId: string, group: readonly Delivery[]): Promise<Ready | undefined> => {
      try {
        const ready = await readied(dispatchId)
        if ('mailer' in ready) return ready
        await Promise.all(group.map((one) => record(one, noRoom(ready))))
        return undefined
      } catch (error) {
        if (isBusy(error)) {
          await Promise.all(group.map((one) => record(one, later())))
          return undefined
        }
        const mendable = error instanceof MailerUnavailable ? { error: error.name } : undefined
        if (!(error instanceof Unpreparable || error instanceof MailerUnavailable)) throw error
        const stopped = await stop(dispatchId, error.message, mendable)
        const result = ofStopped(stopped, error)
        const isTold = !stopped?.resumes || stopped.isSingle
        const facts = isTold && group[0] ? await factsOf(group[0]) : undefined
        await Promise.all(group.map((one) => record(one, result, facts)))
        return undefined
      }
    }

    /** Those of the group that may leave by their channel now; the others are put off. */
    const withRoom = async (group: readonly Delivery[], ready: Ready, leave: Leave) => {
      const n = await leave.use(channelOf(ready.prepared), group.length)
      if (n < group.length) {
        const result = noRoom(ready)
        await Promise.all(group.slice(n).map((one) => record(one, result)))
      }
      return group.slice(0, n).map((delivery) => ({ delivery, ...ready }))
    }

    const deliver = (sendable: Sendable) =>
      inTurn(channelOf(sendable.prepared), sendable.mailer, shareOf(sendable), async () => {
        const { delivery } = sendable
        if (!holds(delivery._id)) return
        if (stopping()) return record(delivery, notAttempted({ to: 'queued', notBefore: delivery.notBefore }))
        const result = await send(sendable)
        return record(delivery, result, sendable.prepared, sendable.recipient)
      })

    return async (claimed: readonly Delivery[], leave: Leave): Promise<void> => {
      const groups = await Promise.all(
        [...grouped(claimed, (one) => one.dispatchId)].map(async ([dispatchId, group]) => {
          const ready = await readyOrStopped(dispatchId, group)
          return ready ? withRoom(group, ready, leave) : []
        }),
      )
      await Promise.all(
        [...grouped(groups.flat(), ({ prepared }) => audienceKey(prepared)).values()].map(async (same) => {
          const [first] = same
          if (!first) return
          const recipientOf = await lookUp(
            same.map(({ delivery }) => delivery),
            first.prepared.dispatch,
          )
          await Promise.all(same.map((one) => deliver({ ...one, recipient: recipientOf(one.delivery) })))
        }),
      )
    }
  }
}
