import type { Contact } from '../contacts/contact.js'
import { grouped } from '../kernel/collections.js'
import { concurrencyLimiter } from '../kernel/limiter.js'
import { chunked } from '../kernel/listing.js'
import type { Log } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { figureKeys, quarterHourFigures } from '../reporting/figures/figure.js'
import { attributionOfDelivery } from '../sending/ledger/attribution.js'
import {
  type Deliveries,
  type IdempotentFigureCount,
  mostIdempotentFigureCounts,
} from '../sending/ledger/deliveries.js'
import { type Delivery, earliestMailArrival, type MailHappening } from '../sending/ledger/delivery.js'
import type { ContentSnapshot, Dispatch } from '../sending/ledger/dispatch.js'
import type { TrackedMailIds } from '../tokens/tracking-token.js'
import { hitVerdictOf, machineMetric } from './classification.js'
import { type EmailClickedLinks, knownLinkIndex } from './clicked-links.js'
import { type DeliveryEvent, deliveryLookup } from './delivery-events.js'
import type { HitJournal, HitMeter } from './hit-ports.js'
import { type PendingHit, trackedMailKey } from './pending-hit.js'

export type HitRecorderDeps = {
  readonly repositories: RepositoriesFor<{
    dispatches: Dispatch
    contents: ContentSnapshot
    contacts: Contact
    emailLinks: EmailClickedLinks
  }>
  readonly deliveries: Pick<Deliveries, 'get' | 'countOnce'>
  readonly report: (report: DeliveryEvent) => Promise<void>
  readonly log: Log
  readonly journal: Pick<HitJournal, 'done'> | undefined
  readonly meter: Pick<HitMeter, 'judged'>
  /** Judged or not. */
  readonly recentHitsOf: (mail: TrackedMailIds) => readonly PendingHit[]
}

/** Recorded concurrently. */
const mailsAtOnce = 8

const clickedBy = ({ target, block }: NonNullable<PendingHit['followed']>) => ({
  link: target,
  blockPosition: block?.position,
  blockName: block?.name,
})

const markKey = ({ hit: { kind }, name }: PendingHit) => `${kind}:${name}`

/** Judges hits and records them as the recipient's or a machine's. */
export const hitRecorder = (deps: HitRecorderDeps) => {
  const { deliveries, report, log, journal, meter, recentHitsOf } = deps
  const deliveryOf = deliveryLookup(deps)
  const attributionOfMail = attributionOfDelivery(deps)
  const linkPlace = knownLinkIndex(deps)
  const recording = concurrencyLimiter({ total: mailsAtOnce })

  const judged = ({ mail, hit, at }: PendingHit, delivery: Delivery) => {
    const deliveredAt = earliestMailArrival(delivery)
    const others = recentHitsOf(mail).filter((one) => one.hit !== hit)
    return hitVerdictOf(hit, {
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
    const { figureSubjects: subjects = [], dispatch } = (await attributionOfMail(delivery)) ?? {}
    const countOf = async (pending: PendingHit): Promise<readonly IdempotentFigureCount[]> => {
      const { kind, at } = pending.hit
      if (kind === 'trap') return []
      const link = pending.followed && dispatch && (await linkPlace(dispatch.emailId, clickedBy(pending.followed)))
      const what = kind === 'open' ? 'opens' : 'clicks'
      const happening: MailHappening = { what, at, by: 'machine', ...(link !== undefined && { link }) }
      return [
        {
          name: markKey(pending),
          figures: quarterHourFigures(figureKeys(subjects, machineMetric[kind]), at),
          happening,
        },
      ]
    }
    for await (const some of chunked(several, mostIdempotentFigureCounts)) {
      const counts = (await Promise.all(some.map(countOf))).flat()
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
      seen: { userAgent: hit.headers['user-agent'], referer, ipAddress, ...(followed && clickedBy(followed)) },
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
    const record = async (several: readonly PendingHit[]): Promise<void> => {
      const open = new Set(several)
      try {
        await recordMail(open)
      } catch (error) {
        if (left.length === 0) log('warn', 'Opens and clicks could not be recorded and will be retried', { error })
        left.push(...open)
      }
    }
    const byMail = [...grouped(due, ({ mail }) => trackedMailKey(mail)).values()]
    await Promise.all(byMail.map((several) => recording.run('', () => record(several))))
    return left
  }
}
