/**
 * The rate that a provider accepts from this process. A high throttled share alone does not show that the rate is the cause. So the limit briefly
 * drops below the accepted rate (a probe): what is still throttled is background.
 */
export type Congestion = {
  /** Mails per second; may be fractional. */
  readonly limit: number
  readonly background: number
  readonly mode: Mode
  readonly clean: number
  readonly probedAt: number
  readonly throttledAt: number
}

type Mode =
  | { readonly kind: 'steady' }
  /** The limit came down to the accepted rate. */
  | { readonly kind: 'following' }
  | { readonly kind: 'probing'; readonly before: Observed; readonly limit: number }

/** Responses in `seconds` with traffic. */
export type Observed = { readonly answered: number; readonly throttled: number; readonly seconds: number }

const largestBackground = 0.5
const probeShare = 0.9
/** Excess over the background: below the first, chance; up to the second, the limit follows the accepted rate. */
const [smallExcess, someExcess] = [0.05, 0.15]
/** Seconds between probes. */
const [probeEvery, probeAtMostEvery] = [60, 10]
/** Largest multiple of a known quota; throttled mails do not use it up. */
const largestBoost = 1.3
const backgroundError = 0.04
const forgottenAfter = 60

const shareOf = ({ answered, throttled }: Observed): number => throttled / answered
const acceptedIn = ({ answered, throttled, seconds }: Observed): number => (answered - throttled) / seconds

const chance = (share: number, n: number): number => Math.sqrt((share * (1 - share)) / n)

/** Weight of a new observation in the smoothed background. */
const followed = 1 / 8

/** Smoothed: a probe of few mails may find too small a background. */
const nearer = (background: number, share: number, byChance: number): number => {
  if (background - share > 3 * byChance) return share
  if (background === 0 || share > largestBackground) return background
  return background + (share - background) * followed
}

/** A tenth after one clean period, faster later, at most twofold. */
const growth = (clean: number): number => Math.min(2, 1 + 0.1 * 2 ** (clean - 1))

/** The multiple of its quota that a channel tries, so that the full quota is accepted. */
export const boostOf = ({ background }: Pick<Congestion, 'background'>): number =>
  background === 0 ? 1 : Math.min(largestBoost, 1 / (1 - Math.min(largestBackground, background + backgroundError)))

const probing = (congestion: Congestion, before: Observed): Congestion => ({
  ...congestion,
  limit: Math.max(1, probeShare * acceptedIn(before)),
  mode: { kind: 'probing', before, limit: congestion.limit },
  clean: 0,
})

/** What is throttled as often at the lower rate is background. */
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

/** Undefined if only the quota limits the rate. */
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

const enough = 20
const longestPeriod = 5

export const answerMeter = () => {
  let congestion: Congestion | undefined
  let from = Number.NEGATIVE_INFINITY
  let [answered, throttled, seconds, last] = [0, 0, 0, 0]

  const begin = (second: number): void => {
    from = second
    ;[answered, throttled, seconds] = [0, 0, 0]
  }

  return {
    known: (): Congestion | undefined => congestion,

    /** Evaluates the periods before `second`. `quota`: mails per second. */
    congestion: (second: number, quota: number): Congestion | undefined => {
      if (answered === 0 || second <= last || (answered < enough && second - from < longestPeriod)) return congestion
      const before = congestion
      congestion = congestionAfter(before, { answered, throttled, seconds }, second, quota)
      // Mails sent at the earlier rate are still being answered: skip this second.
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
