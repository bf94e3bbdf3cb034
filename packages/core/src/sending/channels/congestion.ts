/**
 * The rate that a provider accepts from this process, found like a congestion window: it grows while nothing more than usual is throttled,
 * and comes down otherwise. A high throttled share alone does not show that the rate is the cause, so a probe tries a lower one: what is
 * still throttled then is background.
 *
 * | Mode | Entered when | The limit | Left when |
 * | --- | --- | --- | --- |
 * | steady | the throttled share is near the background | grows by a tenth, faster with each clean period | the share rises |
 * | following | the share is somewhat higher | comes down to the accepted rate | the share is near the background, or a probe is due |
 * | probing | the share is much higher, or a background was last probed a minute ago | nine tenths of the accepted rate | after one period |
 */
export type Congestion = {
  /** Mails per second; may be fractional. */
  readonly limit: number
  /** Share of mails that are throttled whatever the rate. */
  readonly background: number
  readonly mode: Mode
  /** In a row. */
  readonly cleanPeriods: number
  readonly probedAt: number
  readonly throttledAt: number
}

type Mode =
  | { readonly kind: 'steady' }
  /** The limit came down to the accepted rate. */
  | { readonly kind: 'following' }
  | { readonly kind: 'probing'; readonly before: ObservedChannelAnswers; readonly limitBefore: number }

/** Responses in `seconds` with traffic. */
export type ObservedChannelAnswers = { readonly answered: number; readonly throttled: number; readonly seconds: number }

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

const shareOf = ({ answered, throttled }: ObservedChannelAnswers): number => throttled / answered
const acceptedIn = ({ answered, throttled, seconds }: ObservedChannelAnswers): number =>
  (answered - throttled) / seconds

const standardError = (share: number, n: number): number => Math.sqrt((share * (1 - share)) / n)

/** Weight of a new observation in the smoothed background. */
const smoothingFactor = 1 / 8

/** Smoothed: a probe of few mails may find too small a background. */
const smoothed = (background: number, share: number, error: number): number => {
  if (background - share > 3 * error) return share
  if (background === 0 || share > largestBackground) return background
  return background + (share - background) * smoothingFactor
}

/** A tenth after one clean period, faster later, at most twofold. */
const growth = (cleanPeriods: number): number => Math.min(2, 1 + 0.1 * 2 ** (cleanPeriods - 1))

/** The multiple of its quota that a channel tries, so that the full quota is accepted. */
export const channelRateBoost = ({ background }: Pick<Congestion, 'background'>): number =>
  background === 0 ? 1 : Math.min(largestBoost, 1 / (1 - Math.min(largestBackground, background + backgroundError)))

const probing = (congestion: Congestion, before: ObservedChannelAnswers): Congestion => ({
  ...congestion,
  limit: Math.max(1, probeShare * acceptedIn(before)),
  mode: { kind: 'probing', before, limitBefore: congestion.limit },
  cleanPeriods: 0,
})

/** What is throttled as often at the lower rate is background. */
const probed = (
  congestion: Congestion,
  { before, limitBefore: limit }: Extract<Mode, { kind: 'probing' }>,
  sample: ObservedChannelAnswers,
) => {
  const [share, shareBefore] = [shareOf(sample), shareOf(before)]
  if (share > largestBackground) return probing({ ...congestion, limit }, sample)
  const both = (sample.throttled + before.throttled) / (sample.answered + before.answered)
  const isSame =
    share > 0 &&
    shareBefore - share <= 3 * Math.hypot(standardError(both, sample.answered), standardError(both, before.answered))
  const background = isSame ? Math.min(largestBackground, both) : share
  const next = (isSame ? limit : Math.max(1, acceptedIn(before))) / (1 - background)
  return { ...congestion, background, limit: next, mode: { kind: 'steady' } as const }
}

const steady = (congestion: Congestion, sample: ObservedChannelAnswers, second: number): Congestion => {
  const { limit, background, mode, probedAt } = congestion
  const share = shareOf(sample)
  const excess = share - background
  const error = standardError(background, sample.answered)
  const sinceProbe = second - probedAt
  if (excess > Math.max(someExcess, 4 * error) || (background > 0 && sinceProbe >= probeEvery))
    return { ...probing(congestion, sample), probedAt: second }
  if (excess > Math.max(smallExcess, 3 * error)) {
    if (mode.kind === 'following' && sinceProbe >= probeAtMostEvery)
      return { ...probing(congestion, sample), probedAt: second }
    return { ...congestion, limit: Math.max(1, limit * (1 - excess)), mode: { kind: 'following' }, cleanPeriods: 0 }
  }
  const isUsed = sample.answered / sample.seconds >= 0.8 * Math.floor(limit)
  const cleanPeriods = congestion.cleanPeriods + 1
  return {
    ...congestion,
    limit: isUsed ? limit * growth(cleanPeriods) : limit,
    background: smoothed(background, share, error),
    mode: { kind: 'steady' },
    cleanPeriods,
  }
}

/** Undefined if only the quota limits the rate. */
export const nextCongestion = (
  before: Congestion | undefined,
  sample: ObservedChannelAnswers,
  second: number,
  quota: number,
): Congestion | undefined => {
  if (!before && (sample.throttled < 2 || shareOf(sample) <= smallExcess)) return undefined
  const known: Congestion = before ?? {
    limit: Math.min(quota, sample.answered / sample.seconds),
    background: 0,
    mode: { kind: 'steady' },
    cleanPeriods: 0,
    probedAt: Number.NEGATIVE_INFINITY,
    throttledAt: second,
  }
  const throttledAt = sample.throttled > 0 ? second : known.throttledAt
  const { mode } = known
  const next = {
    ...(mode.kind === 'probing' ? probed(known, mode, sample) : steady(known, sample, second)),
    throttledAt,
  }
  const most = quota * channelRateBoost(next)
  const isOver = next.limit >= most && next.background === 0 && sample.throttled === 0 && next.mode.kind === 'steady'
  if (isOver || second - throttledAt >= forgottenAfter) return undefined
  return next.limit > most ? { ...next, limit: most } : next
}

const minimumSample = 20
const longestPeriod = 5

export const channelCongestionMeter = () => {
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
      if (answered === 0 || second <= last || (answered < minimumSample && second - from < longestPeriod))
        return congestion
      const before = congestion
      congestion = nextCongestion(before, { answered, throttled, seconds }, second, quota)
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
export type CongestionMeter = ReturnType<typeof channelCongestionMeter>
