import { agentOf, isMachineAgent, isPicturesAhead, neverFollowsLinks } from './agents.js'

/** One request for what a mail points to: its pixel, one of its links, or the hidden link that no person sees. */
export type Hit = {
  readonly kind: 'open' | 'click' | 'trap'
  readonly method: string
  /** ISO 8601. */
  readonly at: string
  /** Which link of the mail. */
  readonly link?: number
  /** By names in lower case. `user-agent`, `purpose`, `sec-purpose`, `x-purpose` and `x-moz` are read. */
  readonly headers: Readonly<Record<string, string>>
}

/** What else is known of the mail that a hit is for. */
export type HitContext = {
  /** When the relay took it; without, nothing is too soon. */
  readonly deliveredAt?: string
  /** The other hits of the mail that came before it. */
  readonly earlier: readonly Hit[]
  /** Those that came while it was held, where it was. */
  readonly later?: readonly Hit[]
}

/** Who made a hit, and what gave a machine away. */
export type Verdict =
  | { readonly by: 'person' }
  | {
      readonly by: 'machine'
      readonly reason: 'agent' | 'head' | 'prefetch' | 'image-proxy' | 'burst' | 'trap' | 'too-soon'
    }

/**
 * After so many milliseconds nothing that comes can change the verdict of a hit any more. Judged sooner, a machine stays one, while a person
 * may turn out to have been the first of a burst.
 */
export const settlesAfter = 10_000

/** Milliseconds between delivery and the first thing that a person can have done. */
const soonest = { open: 2_000, click: 4_000, trap: 0 } as const
/** So long after delivery, in milliseconds, a scanner may still be at work, and links are taken to be its own more easily. */
const scannersTime = 120_000
/** Links of one mail that nobody opens within these milliseconds. */
const threeLinks = 3_000
const threeLinksOfScanner = settlesAfter
const twoLinks = 500
/** Nobody clicks so often within `settlesAfter`, on whatever. */
const mostClicks = 20

const readAhead = ['purpose', 'sec-purpose', 'x-purpose', 'x-moz']

const isReadAhead = ({ headers }: Hit): boolean =>
  readAhead.some((name) => {
    const value = (headers[name] ?? '').slice(0, 64).toLowerCase()
    return value.includes('prefetch') || value.includes('preview') || value.includes('prerender')
  })

const isGet = ({ method }: Hit): boolean => method.toUpperCase() === 'GET'

const millisecondsAfter = (instant: string, hit: Hit): number => Date.parse(hit.at) - Date.parse(instant)
const apart = (hit: Hit, other: Hit): number => Math.abs(millisecondsAfter(hit.at, other))

/** Whether some window of this length around the hit has clicks on three links. */
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

/** The clicks are those within `settlesAfter`. */
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

const machine = (reason: Extract<Verdict, { by: 'machine' }>['reason']): Verdict => ({ by: 'machine', reason })

/** What the hit says by itself, and the time since delivery. */
const ownReason = (hit: Hit, deliveredAt: string | undefined): Verdict | undefined => {
  const agent = agentOf(hit.headers)
  if (hit.kind === 'trap') return machine('trap')
  if (!isGet(hit)) return machine('head')
  if (isReadAhead(hit)) return machine('prefetch')
  if (hit.kind === 'open' && isPicturesAhead(agent)) return machine('image-proxy')
  if (isMachineAgent(agent)) return machine('agent')
  if (hit.kind === 'click' && neverFollowsLinks(agent)) return machine('agent')
  if (deliveredAt !== undefined && millisecondsAfter(deliveredAt, hit) < soonest[hit.kind]) return machine('too-soon')
  return undefined
}

/** What its company says: other hits of the same mail, at most `settlesAfter` away. */
const reasonByCompany = (hit: Hit, { deliveredAt, earlier, later = [] }: HitContext): Verdict | undefined => {
  const near = [...earlier, ...later].filter((other) => apart(hit, other) <= settlesAfter)
  if (near.length === 0) return undefined
  const agent = agentOf(hit.headers)
  const ofSameAgent = near.filter(({ headers }) => agentOf(headers) === agent)
  // A scanner may give each link another browser's name; a picture is only taken for its own where the names are equal.
  const company = hit.kind === 'open' ? ofSameAgent : near
  if (company.some(({ kind }) => kind === 'trap')) return machine('trap')
  if (ofSameAgent.some((other) => other.kind === hit.kind && other.link === hit.link && !isGet(other)))
    return machine('head')
  const clicks = company.filter(({ kind }) => kind === 'click')
  const burst =
    hit.kind === 'click'
      ? isOfBurst(hit, clicks, deliveredAt)
      : clicks.slice(0, mostClicks).some((click) =>
          isOfBurst(
            click,
            clicks.filter((other) => other !== click),
            deliveredAt,
          ),
        )
  return burst ? machine('burst') : undefined
}

/**
 * Whether a person or a machine made the hit. In doubt it is a person. Time and work are linear in the hits of the context; what is known
 * later only ever turns a person into a machine.
 */
export const verdictOf = (hit: Hit, context: HitContext): Verdict =>
  ownReason(hit, context.deliveredAt) ?? reasonByCompany(hit, context) ?? { by: 'person' }
