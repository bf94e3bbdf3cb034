import type { Contact } from '../contacts/contact.js'
import { counted, figuresOf, type Metric } from '../figures/figure.js'
import { addressKey } from '../kernel/email-address.js'
import type { Log } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { attributionOfDelivery } from '../sending/ledger/attribution.js'
import { type Deliveries, mostNamedCounts } from '../sending/ledger/deliveries.js'
import { type Delivery, deliveryId, neverSooner } from '../sending/ledger/delivery.js'
import type { Content, Dispatch } from '../sending/ledger/dispatch.js'
import type { TrackedMail } from '../tokens/tracking-token.js'
import { type Hit, verdictOf } from './classification.js'
import type { MailReport } from './delivery-events.js'
import type { HitJournal, HitMeter } from './hit-ports.js'
import { mailName, type NotedHit } from './pending-hit.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; contents: Content; contacts: Contact }>
  readonly deliveries: Pick<Deliveries, 'get' | 'countOnce'>
  readonly report: (report: MailReport) => Promise<void>
  readonly log: Log
  readonly journal: Pick<HitJournal, 'done'> | undefined
  readonly meter: Pick<HitMeter, 'judged'>
  /** Recent hits of the mail, judged or not. */
  readonly latelyOf: (mail: TrackedMail) => readonly NotedHit[]
}

/** Mails whose hits are recorded concurrently. */
const mailsAtOnce = 8

const machineMetric = { open: 'machineOpens', click: 'machineClicks', trap: undefined } as const satisfies Record<
  Hit['kind'],
  Metric | undefined
>

const inGroups = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

const byMail = (noted: readonly NotedHit[]): readonly (readonly NotedHit[])[] => {
  const groups = new Map<string, NotedHit[]>()
  for (const one of noted) {
    const name = mailName(one.mail)
    const group = groups.get(name)
    if (group) group.push(one)
    else groups.set(name, [one])
  }
  return [...groups.values()]
}

/** The hit's idempotency key on the delivery. */
const markName = ({ hit: { kind }, name }: NotedHit) => `${kind}:${name}`

/** Judges hits in the context of others, and records them as the recipient's or a machine's. */
export const hitRecording = (deps: Deps) => {
  const { deliveries, report, log, journal, meter, latelyOf } = deps
  const { dispatches, contacts } = deps.repositories
  const factsOf = attributionOfDelivery(deps)

  const ofMail = async (mail: TrackedMail): Promise<Delivery | undefined> => {
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

  const judged = ({ mail, hit, at }: NotedHit, delivery: Delivery) => {
    const deliveredAt = neverSooner(delivery)
    const others = latelyOf(mail).filter((one) => one.hit !== hit)
    return verdictOf(hit, {
      ...(deliveredAt !== undefined && { deliveredAt }),
      earlier: others.filter((one) => one.at <= at).map((one) => one.hit),
      later: others.filter((one) => one.at > at).map((one) => one.hit),
    })
  }

  const countMachines = async (
    delivery: Delivery,
    several: readonly NotedHit[],
    recorded: (some: readonly NotedHit[]) => void,
  ): Promise<void> => {
    if (several.length === 0) return
    const { subjects = [] } = (await factsOf(delivery)) ?? {}
    for (const some of inGroups(several, mostNamedCounts)) {
      const counts = some.flatMap((noted) => {
        const metric = machineMetric[noted.hit.kind]
        return metric ? [{ name: markName(noted), figures: figuresOf(counted(subjects, metric), noted.hit.at) }] : []
      })
      if (counts.length > 0 && subjects.length > 0) await deliveries.countOnce(delivery._id, counts)
      recorded(some)
    }
  }

  const reportPerson = async (
    delivery: Delivery,
    { hit, name, followed, referer, ipAddress }: NotedHit,
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

  /**
   * Records the hits of one mail, one after the other. If the process is killed, the delivery knows the names of all hits that may be
   * recorded again. Removes recorded hits from `open`.
   */
  const recordMail = async (open: Set<NotedHit>): Promise<void> => {
    const recorded = (some: Iterable<NotedHit>, by?: 'person' | 'machine'): void => {
      const several = [...some]
      journal?.done(several.map(({ name }) => name))
      for (const noted of several) {
        open.delete(noted)
        if (by) meter.judged(noted.hit.kind, by)
      }
    }
    const [first] = open
    const delivery = first && (await ofMail(first.mail))
    if (!delivery) return recorded(open)
    const machines = [...open].filter((noted) => judged(noted, delivery).by === 'machine')
    await countMachines(delivery, machines, (some) => recorded(some, 'machine'))
    for (const noted of [...open]) {
      await reportPerson(delivery, noted)
      recorded([noted], 'person')
    }
  }

  /** Returns the hits that could not be recorded. */
  return async (due: readonly NotedHit[]): Promise<readonly NotedHit[]> => {
    const left: NotedHit[] = []
    for (const mails of inGroups(byMail(due), mailsAtOnce)) {
      await Promise.all(
        mails.map(async (several) => {
          const open = new Set(several)
          try {
            await recordMail(open)
          } catch (error) {
            if (left.length === 0) log('warn', 'Opens and clicks could not be recorded, and are tried again', { error })
            left.push(...open)
          }
        }),
      )
    }
    return left
  }
}
