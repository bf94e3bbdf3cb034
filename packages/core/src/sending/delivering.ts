import { creditKey } from '../accounts/account.js'
import type { Contact } from '../contacts/contact.js'
import { RenderFailure } from '../emails/template-language.js'
import { addressKey } from '../kernel/email-address.js'
import { grouped } from '../kernel/grouped.js'
import type { Clock } from '../kernel/ports.js'
import type { Project } from '../projects/project.js'
import type { Delivery, DeliveryError } from './delivery.js'
import type { RecipientLinks } from './links.js'
import type { Pace } from './pace.js'
import type { Mailer, MailOutcome, Settlement } from './ports.js'
import { type Preparation, type PreparedDispatch, Unpreparable } from './preparing.js'
import type { Recipient, Recipients } from './recipients.js'
import { backOff, maxAttempts, spreadOf } from './retrying.js'

type Deps = {
  readonly mailer: Mailer
  readonly preparation: Preparation
  readonly recipients: Recipients
  readonly pace: Pace
  readonly links: (project: Project, subscriberListId: string, contact: Contact) => RecipientLinks
  readonly clock: Clock
  readonly worker: string
  /** Stops the whole dispatch, of which nothing can be sent, and answers the counter that its credit goes back to. */
  readonly stop: (dispatchId: string, reason: string) => Promise<string | undefined>
  readonly settle: (settlement: Settlement) => Promise<void>
}

/** How long an unknown outcome waits for the provider's own report, where it makes one. */
export const reportGrace = 5 * 60_000

/** How long a throttled mail waits. It does not count as an attempt. */
const throttleWait = 5_000

const errorOf = (name: string, error: unknown): DeliveryError => ({
  name,
  message: error instanceof Error ? error.message : String(error),
})

const audienceKey = ({ dispatch }: PreparedDispatch) =>
  dispatch.audience.kind === 'address'
    ? dispatch.projectId
    : `${dispatch.projectId}:${dispatch.audience.subscriberListId}`

/** Stages 4 to 6 of a sending for deliveries that a worker has claimed: who they are now, their mail, its way out, its outcome. */
export const delivering = ({ mailer, preparation, recipients, pace, links, clock, worker, stop, settle }: Deps) => {
  type Recorded = Omit<Settlement, '_id' | 'worker' | 'now' | 'attempted'> & { readonly attempted?: boolean }
  const record = (delivery: Delivery, { attempted = false, ...outcome }: Recorded) =>
    settle({ _id: delivery._id, worker, now: clock().toISOString(), attempted, ...outcome })

  const later = (milliseconds: number) => new Date(clock().getTime() + milliseconds).toISOString()

  const recordOutcome = (delivery: Delivery, outcome: MailOutcome) => {
    const attempts = delivery.attempts + 1
    switch (outcome.kind) {
      case 'accepted':
        return record(delivery, { to: 'sent', attempted: true, providerMessageId: outcome.providerMessageId })
      case 'refused':
        return record(delivery, { to: 'failed', attempted: true, error: outcome.error })
      case 'unknown':
        return record(delivery, {
          to: 'uncertain',
          attempted: true,
          error: outcome.error,
          notBefore: later(mailer.reportsSends ? reportGrace : 0),
        })
      case 'deferred': {
        const { error, throttled } = outcome
        const spread = spreadOf(delivery._id)
        if (throttled) return record(delivery, { to: 'queued', error, notBefore: later(throttleWait * (1 + spread)) })
        if (attempts >= maxAttempts) return record(delivery, { to: 'failed', attempted: true, error })
        return record(delivery, { to: 'queued', attempted: true, error, notBefore: later(backOff(attempts, spread)) })
      }
    }
  }

  const send = async (delivery: Delivery, prepared: PreparedDispatch, recipient: Recipient | undefined) => {
    const { dispatch, project, email } = prepared
    const refund = creditKey(dispatch.accountId)
    if (delivery.attempts >= maxAttempts)
      return record(delivery, {
        to: 'failed',
        error: delivery.error ?? { name: 'WorkerDied', message: 'Every worker that tried this mail died.' },
      })
    if (!recipient) return record(delivery, { to: 'excluded', reason: 'unsubscribed', refund })
    if (recipient.excluded) return record(delivery, { to: 'excluded', reason: recipient.excluded, refund })
    const { audience } = dispatch
    const { contact } = recipient
    let mime: string
    try {
      mime = email.render({
        to: { email: recipient.email, name: contact?.name ?? '' },
        contact: contact ?? { email: recipient.email, name: '', customFields: {} },
        ...(audience.kind !== 'address' && contact && { links: links(project, audience.subscriberListId, contact) }),
        deliveryId: delivery._id,
        date: clock(),
      })
    } catch (error) {
      if (!(error instanceof RenderFailure)) throw error
      return record(delivery, { to: 'failed', error: errorOf('RenderFailure', error), refund })
    }
    const outcome = await mailer.send({
      deliveryId: delivery._id,
      projectId: project._id,
      from: email.from,
      to: recipient.email,
      mime,
    })
    if (outcome.kind === 'deferred' && outcome.throttled) pace.throttled(project)
    return recordOutcome(delivery, outcome)
  }

  /** Looks the recipients of one audience up at once: two or three reads for the whole batch. */
  const lookUp = async (
    group: readonly Delivery[],
    { dispatch }: PreparedDispatch,
  ): Promise<(delivery: Delivery) => Recipient | undefined> => {
    if (dispatch.audience.kind === 'address') {
      const found = await recipients.ofAddresses(
        dispatch.projectId,
        group.map((one) => one.email),
      )
      const byKey = new Map(found.map((one) => [addressKey(one.email), one]))
      return (delivery) => byKey.get(addressKey(delivery.email))
    }
    const ids = group.flatMap((one) => one.contactId ?? [])
    const found = await recipients.ofContacts(dispatch.projectId, dispatch.audience.subscriberListId, ids)
    return (delivery) => (delivery.contactId ? found.get(delivery.contactId) : undefined)
  }

  const preparedOrStopped = async (
    dispatchId: string,
    group: readonly Delivery[],
  ): Promise<PreparedDispatch | undefined> => {
    try {
      return await preparation.prepared(dispatchId)
    } catch (error) {
      if (!(error instanceof Unpreparable)) throw error
      const refund = await stop(dispatchId, error.message)
      const outcome = { to: 'failed', error: errorOf('DispatchStopped', error), ...(refund && { refund }) } as const
      await Promise.all(group.map((one) => record(one, outcome)))
      return undefined
    }
  }

  /** Sends the claimed deliveries, as many at once as the mailer takes, and settles each. */
  return async (claimed: readonly Delivery[]): Promise<void> => {
    const byDispatch = grouped(claimed, (one) => one.dispatchId)
    const ready = await Promise.all(
      [...byDispatch].map(async ([dispatchId, group]) => ({
        group,
        prepared: await preparedOrStopped(dispatchId, group),
      })),
    )
    const sendable = ready.flatMap(({ group, prepared }) => (prepared ? [{ group, prepared }] : []))
    const byAudience = grouped(sendable, ({ prepared }) => audienceKey(prepared))
    await Promise.all(
      [...byAudience.values()].map(async (groups) => {
        const [first] = groups
        if (!first) return
        const recipientOf = await lookUp(
          groups.flatMap(({ group }) => group),
          first.prepared,
        )
        await Promise.all(
          groups.flatMap(({ group, prepared }) => group.map((one) => send(one, prepared, recipientOf(one)))),
        )
      }),
    )
  }
}
