import { creditKey } from '../../accounts/account.js'
import type { Contact } from '../../contacts/contact.js'
import type { MadeMail } from '../../emails/rendering.js'
import { chargedWork } from '../../emails/template-language.js'
import type { MailEvent } from '../../events/event.js'
import { counted } from '../../figures/figure.js'
import { maxAttempts } from '../../kernel/backoff.js'
import { addressKey } from '../../kernel/email-address.js'
import { fairLimiter } from '../../kernel/fair-limiter.js'
import { grouped } from '../../kernel/grouped.js'
import type { Clock, Sleep } from '../../kernel/ports.js'
import { isBusy, shortened } from '../../kernel/refusal.js'
import type { Project } from '../../projects/project.js'
import type { Recipient, Recipients } from '../audience/recipients.js'
import type { Pace } from '../channels/pace.js'
import type { MailFacts } from '../ledger/attribution.js'
import type { Mailer, Settlement } from '../ledger/deliveries.js'
import type { Delivery, DeliveryError } from '../ledger/delivery.js'
import type { Stopped } from './dispatch-ends.js'
import type { LinkedDispatch, RecipientLinks } from './links.js'
import { type Result, resultOf } from './outcomes.js'
import { type Preparation, type PreparedDispatch, Unpreparable } from './preparing.js'
import type { Settled } from './settling.js'

type Deps = {
  readonly mailer: Mailer
  readonly preparation: Preparation
  readonly recipients: Recipients
  readonly pace: Pace
  readonly links: (project: Project, dispatch: LinkedDispatch) => (contact: Contact) => RecipientLinks
  /** Of a mail whose dispatch cannot be prepared. */
  readonly factsOf: (delivery: Delivery) => Promise<MailFacts | undefined>
  readonly clock: Clock
  readonly sleep: Sleep
  readonly worker: string
  /** Stops the whole dispatch, of which nothing can be sent. */
  readonly stop: (dispatchId: string, reason: string) => Promise<Stopped | undefined>
}

/** What a worker lends to the delivering of what it has claimed. */
export type Hand = {
  readonly settle: (settled: Settled) => Promise<void>
  /** Whether the worker still has the delivery: a lease can run out while a process is frozen. */
  readonly holds: (id: string) => boolean
  /** Whether nothing more is to be begun. */
  readonly stopping: () => boolean
}

type Sendable = {
  readonly delivery: Delivery
  readonly prepared: PreparedDispatch
  readonly recipient: Recipient | undefined
}

const errorOf = (name: string, error: unknown): DeliveryError => ({
  name,
  message: shortened(error instanceof Error ? error.message : String(error)),
})

const notAttempted = (result: Omit<Result, 'attempted'>): Result => ({ ...result, attempted: false })

/** After so long, a project of which too much was waiting is tried again. */
const busyTime = 60_000

/** What stops a sending to many is its own failure, and told as such: its recipients are left out. Of a single mail it is the mail's. */
const ofStopped = (stopped: Stopped | undefined, error: Unpreparable): Result => {
  if (stopped && !stopped.isSingle) return notAttempted({ to: 'excluded', reason: 'stopped', refund: stopped.refund })
  const failed = { to: 'failed', error: errorOf('DispatchStopped', error) } as const
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
  mailer,
  preparation,
  recipients,
  pace,
  links,
  factsOf,
  clock,
  worker,
  stop,
  sleep,
}: Deps) => {
  const inTurn = fairLimiter(mailer.concurrency)
  const toRender = fairLimiter(1)
  let rendered = 0

  /**
   * One mail after the other, projects by turns; after each slice of work, whatever else this process does has its turn. What is
   * made or loaded elsewhere is waited for without keeping the others.
   */
  const renderedInTurn = async (sendable: Sendable): Promise<MadeMail | Result> => {
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
  const render = (sendable: Sendable): MadeMail | Result | Promise<MadeMail | Result> => {
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
            links: links(project, { _id: dispatch._id, subscriberListId: audience.subscriberListId })(contact),
          }),
        deliveryId: delivery._id,
        date: clock(),
      }
      const made = email.make(mail)
      return made instanceof Promise ? made.catch((error: unknown) => notRendered(error, dispatch)) : made
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
    const { delivery, prepared, recipient } = sendable
    const known = decided(sendable)
    if (known) return known
    const made = await renderedInTurn(sendable)
    if (!('mime' in made)) return made
    const { mime, subject, isTransparent } = made
    const { project, email } = prepared
    const to = recipient?.email ?? delivery.email
    const outcome = await mailer.send({
      deliveryId: delivery._id,
      projectId: project._id,
      from: email.from,
      to,
      mime,
      isTransparent,
    })
    if (outcome.kind === 'deferred' && outcome.throttled) pace.throttled(project)
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

  /** Sends what was claimed, as many mails at once as the mailer takes, and settles each. */
  return ({ settle, holds, stopping }: Hand) => {
    /** Without facts, an outcome that is nobody's to count or hear of. */
    const record = (delivery: Delivery, result: Result, facts?: MailFacts, recipient?: Recipient) => {
      const now = clock().toISOString()
      return settle({
        settlement: { _id: delivery._id, worker, now, ...result, ...(facts && besideOf(facts, result, recipient)) },
        event: facts && eventOf(facts, delivery, result, now),
      })
    }

    const preparedOrStopped = async (
      dispatchId: string,
      group: readonly Delivery[],
    ): Promise<PreparedDispatch | undefined> => {
      try {
        return await preparation.prepared(dispatchId)
      } catch (error) {
        if (isBusy(error)) {
          await Promise.all(group.map((one) => record(one, later())))
          return undefined
        }
        if (!(error instanceof Unpreparable)) throw error
        const result = ofStopped(await stop(dispatchId, error.message), error)
        const facts = group[0] && (await factsOf(group[0]))
        await Promise.all(group.map((one) => record(one, result, facts)))
        return undefined
      }
    }

    const deliver = (sendable: Sendable) =>
      inTurn(async () => {
        const { delivery } = sendable
        if (!holds(delivery._id)) return
        if (stopping()) return record(delivery, notAttempted({ to: 'queued', notBefore: delivery.notBefore }))
        const result = await send(sendable)
        return record(delivery, result, sendable.prepared, sendable.recipient)
      }, shareOf(sendable))

    return async (claimed: readonly Delivery[]): Promise<void> => {
      const groups = await Promise.all(
        [...grouped(claimed, (one) => one.dispatchId)].map(async ([dispatchId, group]) => {
          const prepared = await preparedOrStopped(dispatchId, group)
          return prepared ? group.map((delivery) => ({ delivery, prepared })) : []
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
          await Promise.all(
            same.map(({ delivery, prepared }) => deliver({ delivery, prepared, recipient: recipientOf(delivery) })),
          )
        }),
      )
    }
  }
}
