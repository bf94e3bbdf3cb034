import type { Contact } from '../contacts/contact.js'
import { counted, figuresOf, type Metric } from '../figures/figure.js'
import { addressKey } from '../kernel/email-address.js'
import type { Log } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { attributionOfDelivery } from '../sending/ledger/attribution.js'
import { type Deliveries, mostNamedCounts } from '../sending/ledger/deliveries.js'
import { type Delivery, deliveryId, earliestArrival } from '../sending/ledger/delivery.js'
import type { Content, Dispatch } from '../sending/ledger/dispatch.js'
import type { TrackedMail } from '../tokens/tracking-token.js'
import { type Hit, verdictOf } from './classification.js'
import type { DeliveryEvent } from './delivery-events.js'
import type { HitJournal, HitMeter } from './hit-ports.js'
import { mailKey, type PendingHit } from './pending-hit.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; contents: Content; contacts: Contact }>
  readonly deliveries: Pick<Deliveries, 'get' | 'countOnce'>
  readonly report: (report: DeliveryEvent) => Promise<void>
  readonly log: Log
  readonly journal: Pick<HitJournal, 'done'> | undefined
  readonly meter: Pick<HitMeter, 'judged'>
  /** Judged or not. */
  readonly recentHitsOf: (mail: TrackedMail) => readonly PendingHit[]
}

/** Recorded concurrently. */
const mailsAtOnce = 8

const machineMetric = { open: 'machineOpens', click: 'machineClicks', trap: undefined } as const satisfies Record<
  Hit['kind'],
  Metric | undefined
>

const inGroups = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

const byMail = (pending: readonly PendingHit[]): readonly (readonly PendingHit[])[] => {
  const groups = new Map<string, PendingHit[]>()
  for (const one of pending) {
    const name = mailKey(one.mail)
    const group = groups.get(name)
    if (group) group.push(one)
    else groups.set(name, [one])
  }
  return [...groups.values()]
}

const markKey = ({ hit: { kind }, name }: PendingHit) => `${kind}:${name}`

/** Judges hits and records them as the recipient's or a machine's. */
export const hitRecorder = (deps: Deps) => {
  const { deliveries, report, log, journal, meter, recentHitsOf } = deps
  const { dispatches, contacts } = deps.repositories
  const attributionOfMail = attributionOfDelivery(deps)

  const deliveryOf = async (mail: TrackedMail): Promise<Delivery | undefined> => {
    const { dispatchId, contactId } = mail
    if (contactId === undefined) {
      const audience = (await dispatches.get({ _id: dispatchId }))?.audience
      return audience?.kind === 'address'
        ? deliveries.get(deliveryId(dispatchId, addressKey(audience.email)))
        : undefined
    }
    const found = await deliveries.get(deliveryId(dispatchId, contactId))
    if (found) return found
    const contact = await contacts.get({ _id: contactId })
    return contact && deliveries.get(deliveryId(dispatchId, contact.emailKey))
  }

  const judged = ({ mail, hit, at }: PendingHit, delivery: Delivery) => {
    const deliveredAt = earliestArrival(delivery)
    const others = recentHitsOf(mail).filter((one) => one.hit !== hit)
    return verdictOf(hit, {
      ...(deliveredAt !== undefined && { deliveredAt }),
      earlier: others.filter((one) => one.at <= at).map((one) => one.hit),
      later: others.filter((one) => one.at > at).map((one) => one.hit),
    })
  }

  const countMachines = async (
    delivery: Delivery,
    several: readonly PendingHit[],
    recorded: (some: readonly PendingHit[]) => void,
  ): Promise<void> => {
    if (several.length === 0) return
    const { subjects = [] } = (await attributionOfMail(delivery)) ?? {}
    for (const some of inGroups(several, mostNamedCounts)) {
      const counts = some.flatMap((pending) => {
        const metric = machineMetric[pending.hit.kind]
        return metric ? [{ name: markKey(pending), figures: figuresOf(counted(subjects, metric), pending.hit.at) }] : []
      })
      if (counts.length > 0 && subjects.length > 0) await deliveries.countOnce(delivery._id, counts)
      recorded(some)
    }
  }

  const reportPerson = async (
    delivery: Delivery,
    { hit, name, followed, referer, ipAddress }: PendingHit,
  ): Promise<void> => {
    if (hit.kind === 'trap') return
    await report({
      deliveryId: delivery._id,
      type: hit.kind,
      at: hit.at,
      name,
      seen: {
        userAgent: hit.headers['user-agent'],
        referer,
        ipAddress,
        ...(followed && {
          link: followed.target,
          blockPosition: followed.block?.position,
          blockName: followed.block?.name,
        }),
      },
    })
  }

  /** One after the other, so that after a kill the delivery knows all names that may be repeated. Removes recorded hits from `open`. */
  const recordMail = async (open: Set<PendingHit>): Promise<void> => {
    const recorded = (some: Iterable<PendingHit>, by?: 'person' | 'machine'): void => {
      const several = [...some]
      journal?.done(several.map(({ name }) => name))
      for (const pending of several) {
        open.delete(pending)
        if (by) meter.judged(pending.hit.kind, by)
      }
    }
    const [first] = open
    const delivery = first && (await deliveryOf(first.mail))
    if (!delivery) return recorded(open)
    const machines = [...open].filter((pending) => judged(pending, delivery).by === 'machine')
    await countMachines(delivery, machines, (some) => recorded(some, 'machine'))
    for (const pending of [...open]) {
      await reportPerson(delivery, pending)
      recorded([pending], 'person')
    }
  }

  return async (due: readonly PendingHit[]): Promise<readonly PendingHit[]> => {
    const left: PendingHit[] = []
    for (const mails of inGroups(byMail(due), mailsAtOnce)) {
      await Promise.all(
        mails.map(async (several) => {
          const open = new Set(several)
          try {
            await recordMail(open)
          } catch (error) {
            if (left.length === 0) log('warn', 'Opens and clicks could not be recorded and will be retried', { error })
            left.push(...open)
          }
        }),
      )
    }
    return left
  }
}
