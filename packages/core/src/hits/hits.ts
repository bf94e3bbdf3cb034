import type { Contact } from '../contacts/contact.js'
import { counted, type Figure, type Figures, figureSums, type Metric } from '../figures/figure.js'
import { addressKey } from '../kernel/email-address.js'
import type { Clock, Log, NewId, Sleep } from '../kernel/ports.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { MailReport } from '../mail-reports/mail-reports.js'
import { attributionOfDelivery } from '../sending/ledger/attribution.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import { type Delivery, deliveryId } from '../sending/ledger/delivery.js'
import type { Content, Dispatch } from '../sending/ledger/dispatch.js'
import type { TrackedMail } from '../tokens/tracking-token.js'
import { type Hit, settlesAfter, verdictOf } from '../tracking/machines.js'
import type { FollowedLink } from './tracked-links.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ dispatches: Dispatch; contents: Content; contacts: Contact }>
  readonly deliveries: Pick<Deliveries, 'get'>
  readonly figures: Pick<Figures, 'add'>
  readonly report: (report: MailReport) => Promise<void>
  readonly clock: Clock
  readonly newId: NewId
  readonly sleep: Sleep
  readonly log: Log
}

/** Who asked for an image or a link of a mail, as the request tells. */
export type Requested = {
  readonly method: string
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Told to the webhook, and kept nowhere. */
  readonly ipAddress?: string | undefined
}

type Noted = {
  readonly mail: TrackedMail
  readonly hit: Hit
  /** Says that it is the same, where it has to be recorded again. */
  readonly name: string
  readonly followed: FollowedLink | undefined
  readonly referer?: string | undefined
  readonly ipAddress?: string | undefined
  /** Epoch milliseconds. */
  readonly at: number
}

/** Hits that wait to be judged, or for the store: beyond so many, the oldest are forgotten, and the log says so. */
export const mostWaiting = 50_000
/** Hits of one mail that are told of; more of them at a time are no person's. */
const mostOfMail = 100
const roundTime = 1_000
const longestRound = 30_000
/** Hits that are recorded at a time. */
const atOnce = 8

const read = ['user-agent', 'purpose', 'sec-purpose', 'x-purpose', 'x-moz'] as const
const longestHeader = 512

const headerOf = ({ headers }: Requested, name: string): string | undefined => {
  const value = headers[name]
  return typeof value === 'string' ? value.slice(0, longestHeader) : undefined
}

const kindOf = (followed: FollowedLink | undefined): Hit['kind'] =>
  followed === undefined ? 'open' : followed.target === undefined ? 'trap' : 'click'

const machineMetric = { open: 'machineOpens', click: 'machineClicks', trap: undefined } as const satisfies Record<
  Hit['kind'],
  Metric | undefined
>

const nameOf = ({ dispatchId, contactId = '' }: TrackedMail) => `${dispatchId}:${contactId}`

const inGroups = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))

/**
 * What images and links of mails tell, after their answer: who asked is judged some seconds later, by what else came in that time, and
 * recorded as the recipient's doing or counted as a machine's. Kept in memory until then: a process that is killed loses what it heard in
 * the last seconds, one that is closed loses nothing, and one whose store is down waits for it (ADR 0041).
 */
export const hits = (deps: Deps) => {
  const { deliveries, figures, report, clock, newId, sleep, log } = deps
  const { dispatches, contacts } = deps.repositories
  const factsOf = attributionOfDelivery(deps)
  /** By mail, what came lately, judged or not. */
  const lately = new Map<string, Noted[]>()
  let waiting: Noted[] = []
  let forgotten = 0
  let running: Promise<void> | undefined
  let recording: Promise<void> = Promise.resolve()
  let closing: AbortController | undefined

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

  const judged = ({ mail, hit, at }: Noted, { sentAt }: Delivery) => {
    const others = (lately.get(nameOf(mail)) ?? []).filter((one) => one.hit !== hit)
    return verdictOf(hit, {
      ...(sentAt !== undefined && { deliveredAt: sentAt }),
      earlier: others.filter((one) => one.at <= at).map((one) => one.hit),
      later: others.filter((one) => one.at > at).map((one) => one.hit),
    })
  }

  const machineFigures = async (delivery: Delivery, { kind, at }: Hit): Promise<readonly Figure[]> => {
    const metric = machineMetric[kind]
    const facts = metric && (await factsOf(delivery))
    if (!facts) return []
    const sums = figureSums()
    sums.count(counted(facts.subjects, metric), at)
    return [...sums.all()]
  }

  /** Answers what is to be counted of it beside. */
  const record = async (noted: Noted): Promise<readonly Figure[]> => {
    const { hit, name, followed, referer, ipAddress } = noted
    const delivery = await ofMail(noted.mail)
    if (!delivery) return []
    if (judged(noted, delivery).by === 'machine') return machineFigures(delivery, hit)
    if (hit.kind === 'trap') return []
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
    return []
  }

  /** Answers those that could not be recorded. */
  const recordAll = async (due: readonly Noted[]): Promise<readonly Noted[]> => {
    const left: Noted[] = []
    const beside: Figure[] = []
    for (const group of inGroups(due, atOnce)) {
      await Promise.all(
        group.map(async (noted) => {
          try {
            beside.push(...(await record(noted)))
          } catch (error) {
            left.push(noted)
            if (left.length === 1)
              log('warn', 'Opens and clicks could not be recorded, and are tried again', { error: String(error) })
          }
        }),
      )
    }
    if (beside.length > 0)
      await figures.add(summed(beside)).catch((error: unknown) => {
        log('warn', 'Opens and clicks of machines could not be counted', { error: String(error) })
      })
    return left
  }

  const isRecent = ({ at }: Noted, now: number): boolean => now - at <= 2 * settlesAfter

  /** What may still be company of a hit, or waits itself for a store that does not answer. */
  const forget = (now: number) => {
    const unrecorded = new Set(waiting)
    for (const [name, noted] of lately) {
      const kept = noted.filter((one) => isRecent(one, now) || unrecorded.has(one))
      if (kept.length === 0) lately.delete(name)
      else if (kept.length < noted.length) lately.set(name, kept)
    }
    if (forgotten > 0) log('warn', 'Opens and clicks were forgotten: too many waited to be recorded', { n: forgotten })
    forgotten = 0
  }

  /** Records what nothing can change any more, or all there is. Answers whether all of it was recorded. */
  const round = async (all: boolean): Promise<boolean> => {
    const now = clock().getTime()
    const due = all ? waiting : waiting.filter(({ at }) => now - at >= settlesAfter)
    if (due.length === 0) return true
    const taken = new Set(due)
    waiting = waiting.filter((one) => !taken.has(one))
    const left = await recordAll(due)
    waiting = [...left, ...waiting]
    forget(now)
    return left.length === 0
  }

  const inTurn = (all: boolean): Promise<boolean> => {
    const done = recording.then(() => round(all))
    recording = done.then(
      () => undefined,
      () => undefined,
    )
    return done
  }

  /** Goes on as long as there is anything. */
  const run = async (signal: AbortSignal): Promise<void> => {
    let pause = roundTime
    while (waiting.length > 0 && !signal.aborted) {
      await sleep(pause, signal)
      if (signal.aborted) return
      pause = (await inTurn(false)) ? roundTime : Math.min(2 * pause, longestRound)
    }
  }

  const begin = () => {
    if (running) return
    closing ??= new AbortController()
    running = run(closing.signal).finally(() => {
      running = undefined
    })
  }

  return {
    /**
     * Takes note of a request for a mail's image, or for a link of it, and answers at once: nothing is looked up yet. What comes after
     * `close` is not heard.
     */
    note: (asked: { readonly mail: TrackedMail } | FollowedLink, request: Requested): void => {
      if (closing?.signal.aborted) return
      const followed = 'link' in asked ? asked : undefined
      const now = clock()
      const { mail } = asked
      const headers = Object.fromEntries(
        read.flatMap((name) => {
          const value = headerOf(request, name)
          return value === undefined ? [] : [[name, value]]
        }),
      )
      const hit: Hit = {
        kind: kindOf(followed),
        method: request.method,
        at: now.toISOString(),
        ...(followed && { link: followed.link }),
        headers,
      }
      const noted: Noted = {
        mail,
        hit,
        name: newId(),
        followed,
        referer: headerOf(request, 'referer'),
        ipAddress: request.ipAddress,
        at: now.getTime(),
      }
      let others = lately.get(nameOf(mail)) ?? []
      if (others.length >= mostOfMail) {
        others = others.filter((one) => isRecent(one, noted.at))
        if (others.length >= mostOfMail) return
        lately.set(nameOf(mail), others)
      }
      if (others.length === 0) lately.set(nameOf(mail), others)
      others.push(noted)
      waiting.push(noted)
      if (waiting.length > mostWaiting) {
        waiting.shift()
        forgotten += 1
      }
      begin()
    },

    /** Records all there is by what is known of it. */
    flush: async (): Promise<void> => {
      await inTurn(true)
    },

    /** As `flush`, and hears nothing more. */
    close: async (): Promise<void> => {
      closing ??= new AbortController()
      closing.abort()
      await running
      if (!(await inTurn(true)))
        log('error', 'Opens and clicks were lost: the store did not take them', { n: waiting.length })
    },
  }
}
export type Hits = ReturnType<typeof hits>

const summed = (figures: readonly Figure[]): readonly Figure[] => {
  const sums = new Map<string, Figure>()
  for (const one of figures) {
    const key = `${one.slot} ${one.metric} ${one.subject}`
    sums.set(key, { ...one, n: one.n + (sums.get(key)?.n ?? 0) })
  }
  return [...sums.values()]
}
