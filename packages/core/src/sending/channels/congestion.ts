/**
 * How fast a provider lets this process go, learned from what it throttles. A share that is throttled says little by itself: where slower
 * mails are throttled as often, it is not the pace. So whenever the share is high, the pace goes below what was accepted for a moment:
 * what is throttled even then is background, and everything above it is by the pace.
 */
export type Congestion = {
  /** Mails that may be tried in a second, fractions included. */
  readonly limit: number
  /** The share that is throttled at any pace, from 0 to 1. */
  readonly background: number
  readonly mode: Mode
  /** Periods in a row in which nothing was throttled but the background. */
  readonly clean: number
  /** Seconds of the clock. */
  readonly probedAt: number
  readonly throttledAt: number
}

type Mode =
  | { readonly kind: 'steady' }
  /** The limit came down to what was accepted. */
  | { readonly kind: 'following' }
  /** The limit is below what was accepted, to see what is throttled even so. */
  | { readonly kind: 'probing'; readonly before: Observed; readonly limit: number }

/** What became of mails in so many seconds in which there were any. */
export type Observed = { readonly answered: number; readonly throttled: number; readonly seconds: number }

/** A larger share at a slow pace says that the pace is not slow enough yet. */
const largestBackground = 0.5
/** So much of what was accepted is tried while the background is looked for. */
const probeShare = 0.9
/** Above the background, less than the first is chance; up to the second, the limit follows what was accepted. */
const [smallExcess, someExcess] = [0.05, 0.15]
/** So often, in seconds, the background is looked for anew while there is one; and not more often for a small excess. */
const [probeEvery, probeAtMostEvery] = [60, 10]
/** What is tried in a second is at most so many times a known quota, of which refused mails take nothing. */
const largestBoost = 1.3
/** The background is known to about so much. */
const backgroundError = 0.04
/** Nothing was throttled for so long, in seconds: what was known is forgotten. */
const forgottenAfter = 60

const shareOf = ({ answered, throttled }: Observed): number => throttled / answered
const acceptedIn = ({ answered, throttled, seconds }: Observed): number => (answered - throttled) / seconds

/** By how much the share among so many may differ by chance: a standard deviation. */
const chance = (share: number, n: number): number => Math.sqrt((share * (1 - share)) / n)

/** The part of a difference by which a background that is known follows what is observed. */
const followed = 1 / 8

/**
 * The background after a share that is none of the pace's. What a probe found of few mails differs by chance from what it is: kept as it
 * was found, one too small would take every share for one by the pace, until the next probe.
 */
const nearer = (background: number, share: number, byChance: number): number => {
  if (background - share > 3 * byChance) return share
  if (background === 0 || share > largestBackground) return background
  return background + (share - background) * followed
}

/** A tenth after one clean period; the more there are, the faster, at most twice as much. */
const growth = (clean: number): number => Math.min(2, 1 + 0.1 * 2 ** (clean - 1))

/** How many times its quota a channel is tried, so that the quota is accepted. */
export const boostOf = ({ background }: Pick<Congestion, 'background'>): number =>
  background === 0 ? 1 : Math.min(largestBoost, 1 / (1 - Math.min(largestBackground, background + backgroundError)))

const probing = (congestion: Congestion, before: Observed): Congestion => ({
  ...congestion,
  limit: Math.max(1, probeShare * acceptedIn(before)),
  mode: { kind: 'probing', before, limit: congestion.limit },
  clean: 0,
})

/** After a probe: what is throttled as often as before is background, and no reason to be slower. */
const probed = (congestion: Congestion, { before, limit }: Extract<Mode, { kind: 'probing' }>, now: Observed) => {
  const [share, shareBefore] = [shareOf(now), shareOf(before)]
  if (share > largestBackground) return probing({ ...congestion, limit }, now)
  const both = (now.throttled + before.throttled) / (now.answered + before.answered)
  const isSame =
    share > 0 && shareBefore - share <= 3 * Math.hypot(chance(both, now.answered), chance(both, before.answered))
  const background = isSame ? Math.min(largestBackground, both) : share
  const next = (isSame ? limit : Math.max(1, acceptedIn(before))) / (1 - background)
  return { ...congestion, background, limit: next, mode: { kind: 'steady' } as const }
}

const steady = (congestion: Congestion, now: Observed, second: number): Congestion => {
  const { limit, background, mode, probedAt } = congestion
  const share = shareOf(now)
  const excess = share - background
  const byChance = chance(background, now.answered)
  const sinceProbe = second - probedAt
  if (excess > Math.max(someExcess, 4 * byChance) || (background > 0 && sinceProbe >= probeEvery))
    return { ...probing(congestion, now), probedAt: second }
  if (excess > Math.max(smallExcess, 3 * byChance)) {
    if (mode.kind === 'following' && sinceProbe >= probeAtMostEvery)
      return { ...probing(congestion, now), probedAt: second }
    return { ...congestion, limit: Math.max(1, limit * (1 - excess)), mode: { kind: 'following' }, clean: 0 }
  }
  const isUsed = now.answered / now.seconds >= 0.8 * Math.floor(limit)
  const clean = congestion.clean + 1
  return {
    ...congestion,
    limit: isUsed ? limit * growth(clean) : limit,
    background: nearer(background, share, byChance),
    mode: { kind: 'steady' },
    clean,
  }
}

/** How fast a provider lets this process go after what was observed until `second`; undefined: as fast as its quota is. */
export const congestionAfter = (
  before: Congestion | undefined,
  now: Observed,
  second: number,
  quota: number,
): Congestion | undefined => {
  if (!before && (now.throttled < 2 || shareOf(now) <= smallExcess)) return undefined
  const known: Congestion = before ?? {
    limit: Math.min(quota, now.answered / now.seconds),
    background: 0,
    mode: { kind: 'steady' },
    clean: 0,
    probedAt: Number.NEGATIVE_INFINITY,
    throttledAt: second,
  }
  const throttledAt = now.throttled > 0 ? second : known.throttledAt
  const { mode } = known
  const next = { ...(mode.kind === 'probing' ? probed(known, mode, now) : steady(known, now, second)), throttledAt }
  const most = quota * boostOf(next)
  const isOver = next.limit >= most && next.background === 0 && now.throttled === 0 && next.mode.kind === 'steady'
  if (isOver || second - throttledAt >= forgottenAfter) return undefined
  return next.limit > most ? { ...next, limit: most } : next
}

/** A period is at least a second, and has so many answers, unless they are few for so many seconds. */
const enough = 20
const longestPeriod = 5

/** Counts a channel's answers by the second of the clock, and what follows from them for its pace. */
export const answerMeter = () => {
  let congestion: Congestion | undefined
  let from = Number.NEGATIVE_INFINITY
  let [answered, throttled, seconds, last] = [0, 0, 0, 0]

  const begin = (second: number): void => {
    from = second
    ;[answered, throttled, seconds] = [0, 0, 0]
  }

  return {
    /** What was last known. */
    known: (): Congestion | undefined => congestion,

    /** What is known in that second, which has not ended; `quota`: mails per second that the channel has. */
    congestion: (second: number, quota: number): Congestion | undefined => {
      if (answered === 0 || second <= last || (answered < enough && second - from < longestPeriod)) return congestion
      const before = congestion
      congestion = congestionAfter(before, { answered, throttled, seconds }, second, quota)
      // Of what has left before at a faster pace, answers come for some time yet.
      const isSlower = congestion !== undefined && congestion.limit < (before?.limit ?? quota)
      begin(isSlower ? second + 1 : second)
      return congestion
    },

    answered: (second: number, isThrottled: boolean): void => {
      if (second < from) return
      if (answered === 0) begin(Math.max(from, second))
      if (second !== last) seconds += 1
      last = second
      answered += 1
      if (isThrottled) throttled += 1
    },
  }
}
export type AnswerMeter = ReturnType<typeof answerMeter>
