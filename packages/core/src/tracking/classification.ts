import type { FigureMetric } from '../reporting/figures/figure.js'
import { isBrowser, isMachineAgent, loadsPictures, prefetchesPictures, userAgentOf } from './user-agents.js'

export type Hit = {
  readonly kind: 'open' | 'click' | 'trap'
  readonly method: string
  /** ISO 8601. */
  readonly at: string
  /** The number of the link in the mail. */
  readonly link?: number | undefined
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
}

/** What the rules know of the mail. */
export type HitMailContext = {
  /** Acceptance by the relay; without it, no hit is too soon. */
  readonly deliveredAt?: string
  /** Of the same mail. */
  readonly earlier: readonly Hit[]
  /** Hits that arrived while this one was held back. */
  readonly later?: readonly Hit[]
}

/** Names the rule that recognised a machine. */
export type HitVerdict =
  | { readonly by: 'person' }
  | {
      readonly by: 'machine'
      readonly reason: 'agent' | 'head' | 'prefetch' | 'image-proxy' | 'burst' | 'trap' | 'too-soon'
    }

/** Counts machines' hits; a trap is in no mail that a person sees. */
export const machineMetric = {
  open: 'machineOpens',
  click: 'machineClicks',
  trap: undefined,
} as const satisfies Record<Hit['kind'], FigureMetric | undefined>

/** In ms, around a hit. */
const nearby = 10_000

/**
 * In ms; then a verdict is final. Until then, "person" may change to "machine". Clicks wait longer because slow sweeps follow a link every 5 to 15 s.
 */
export const hitVerdictSettleTime = { open: nearby, click: 45_000, trap: 45_000 } as const satisfies Record<
  Hit['kind'],
  number
>

/** Earliest hit of a person after delivery, in ms. */
const soonest = { open: 2_000, click: 4_000, trap: 0 } as const
/** In ms after delivery: hits are mostly made by scanners. */
const scannersTime = 120_000
/** In ms: no person opens three links within the first during `scannersTime`, or within the second later. */
const [threeLinksOfScanner, threeLinks] = [nearby, 1_500]
const twoLinks = 500
const mostClicks = 20
/** In ms. Even intervals between different links mean a program; fewer clicks must be more even. */
const [shortestInterval, longestInterval] = [3_000, 20_000]
const evenRuns = [
  { clicks: 3, deviation: 0.02 },
  { clicks: 4, deviation: 0.1 },
] as const

const readAhead = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz']

const isReadAhead = ({ headers }: Hit): boolean =>
  readAhead.some((name) => {
    const value = (headers[name] ?? '').slice(0, 64).toLowerCase()
    return value.includes('prefetch') || value.includes('preview') || value.includes('prerender')
  })

const isGet = ({ method }: Hit): boolean => method.toUpperCase() === 'GET'

const millisecondsAfter = (instant: string, hit: Hit): number => Date.parse(hit.at) - Date.parse(instant)
const apart = (hit: Hit, other: Hit): number => Math.abs(millisecondsAfter(hit.at, other))

/** Clicks on three links in a window around the hit. */
const hasThreeLinksWithin = (length: number, hit: Hit, clicks: readonly Hit[]): boolean =>
  [hit, ...clicks].some((first) => {
    const after = millisecondsAfter(first.at, hit)
    if (after < 0 || after > length) return false
    const within = clicks.filter((click) => {
      const later = millisecondsAfter(first.at, click)
      return later >= 0 && later <= length
    })
    return new Set([hit.link, ...within.map(({ link }) => link)]).size >= 3
  })

const isOfBurst = (hit: Hit, clicks: readonly Hit[], deliveredAt: string | undefined): boolean => {
  if (clicks.length + 1 >= mostClicks) return true
  if (clicks.some((click) => click.link !== hit.link && apart(hit, click) <= twoLinks)) return true
  const fresh = deliveredAt !== undefined && millisecondsAfter(deliveredAt, hit) <= scannersTime
  const length = fresh ? threeLinksOfScanner : threeLinks
  return hasThreeLinksWithin(
    length,
    hit,
    clicks.filter((click) => apart(hit, click) <= length),
  )
}

const isEven = (run: readonly Hit[], deviation: number): boolean => {
  const intervals = run.slice(1).map((click, i) => millisecondsAfter(run[i]?.at ?? click.at, click))
  const [least, most] = [Math.min(...intervals), Math.max(...intervals)]
  return least >= shortestInterval && most <= longestInterval && most - least <= deviation * most
}

/** Even intervals to clicks on other links. */
const isOfEvenRun = (hit: Hit, clicks: readonly Hit[]): boolean => {
  const all = [hit, ...clicks]
  const completes = (run: readonly Hit[], length: number, deviation: number): boolean =>
    run.length === length
      ? run.includes(hit)
      : all.some((next) => {
          const longer = [...run, next]
          const isOtherLink = run.every(({ link }) => link !== next.link)
          return isOtherLink && (run.length === 0 || isEven(longer, deviation)) && completes(longer, length, deviation)
        })
  return evenRuns.some(({ clicks: length, deviation }) => completes([], length, deviation))
}

const isOfSweep = (hit: Hit, clicks: readonly Hit[]): boolean => clicks.length >= mostClicks || isOfEvenRun(hit, clicks)

const machine = (reason: Extract<HitVerdict, { by: 'machine' }>['reason']): HitVerdict => ({ by: 'machine', reason })

/** From the hit alone and the time since delivery. */
const ownReason = (hit: Hit, deliveredAt: string | undefined): HitVerdict | undefined => {
  const agent = userAgentOf(hit.headers)
  if (hit.kind === 'trap') return machine('trap')
  if (!isGet(hit)) return machine('head')
  if (isReadAhead(hit)) return machine('prefetch')
  if (hit.kind === 'open' && prefetchesPictures(agent)) return machine('image-proxy')
  if (isMachineAgent(agent)) return machine('agent')
  if (hit.kind === 'click' && !isBrowser(agent)) return machine('agent')
  if (deliveredAt !== undefined && millisecondsAfter(deliveredAt, hit) < soonest[hit.kind]) return machine('too-soon')
  return undefined
}

/** A machine if the same agent made a nearby request that no person can have made. */
const reasonBySameAgent = (hit: Hit, near: readonly Hit[], deliveredAt: string | undefined): HitVerdict | undefined =>
  near
    .filter((other) => other.kind !== hit.kind || (hit.kind === 'click' && other.link !== hit.link))
    .map((other) => ownReason(other, deliveredAt))
    .find(
      (verdict) =>
        verdict?.by === 'machine' &&
        (verdict.reason === 'too-soon' || (verdict.reason === 'agent' && !loadsPictures(userAgentOf(hit.headers)))),
    )

/** From other hits of the mail, at most `hitVerdictSettleTime` away. */
const reasonByCompany = (hit: Hit, { deliveredAt, earlier, later = [] }: HitMailContext): HitVerdict | undefined => {
  const company = [...earlier, ...later].filter((other) => apart(hit, other) <= hitVerdictSettleTime[hit.kind])
  if (company.length === 0) return undefined
  const agent = userAgentOf(hit.headers)
  const isOfSameAgent = ({ headers }: Hit) => userAgentOf(headers) === agent
  const near = company.filter((other) => apart(hit, other) <= nearby)
  const nearOfSameAgent = near.filter(isOfSameAgent)
  // Scanners may change the browser name per link; an open needs an equal name.
  const accomplices = hit.kind === 'open' ? nearOfSameAgent : near
  if ([...accomplices, ...company.filter(isOfSameAgent)].some(({ kind }) => kind === 'trap')) return machine('trap')
  if (nearOfSameAgent.some((other) => other.kind === hit.kind && other.link === hit.link && !isGet(other)))
    return machine('head')
  const clicks = accomplices.filter(({ kind }) => kind === 'click')
  const burst =
    hit.kind === 'click'
      ? isOfBurst(hit, clicks, deliveredAt) ||
        isOfSweep(
          hit,
          company.filter(({ kind, link }) => kind === 'click' && link !== hit.link),
        )
      : clicks.slice(0, mostClicks).some((click) =>
          isOfBurst(
            click,
            clicks.filter((other) => other !== click),
            deliveredAt,
          ),
        )
  return burst ? machine('burst') : reasonBySameAgent(hit, nearOfSameAgent, deliveredAt)
}

/** In doubt, a person. Nearly linear in the hits. Later hits can change "person" to "machine", never the reverse. */
export const hitVerdictOf = (hit: Hit, context: HitMailContext): HitVerdict =>
  ownReason(hit, context.deliveredAt) ?? reasonByCompany(hit, context) ?? { by: 'person' }
