export type Sample = { readonly at: number; readonly done: number }

/** In ms; the chart shows as much. */
const shown = 10 * 60_000
/** In ms; older samples say nothing about the present. */
const window = 30_000
/** In ms; one point of the chart. */
const step = 10_000

/** Samples of an earlier run, when more was done, are dropped. */
export const withSample = (samples: readonly Sample[], next: Sample): readonly Sample[] => [
  ...samples.filter(({ at, done }) => at > next.at - shown && at < next.at && done <= next.done),
  next,
]

const between = (first: Sample, last: Sample): number => ((last.done - first.done) * 1_000) / (last.at - first.at)

/** Mails per second in the last 30 s; undefined with samples of less than 1 s. */
export const paceOf = (samples: readonly Sample[]): number | undefined => {
  const last = samples.at(-1)
  const first = samples.find(({ at }) => last !== undefined && at > last.at - window)
  return !first || !last || last.at - first.at < 1_000 ? undefined : between(first, last)
}

/** Rounded up; undefined if nothing moves. */
export const minutesLeft = (waiting: number, perSecond: number | undefined): number | undefined =>
  perSecond === undefined || perSecond <= 0 ? undefined : Math.max(1, Math.ceil(waiting / perSecond / 60))

export type PacePoint = { readonly at: number; readonly perSecond: number }

/** Has a gap where the page was closed for over a minute. */
export const pacePoints = (samples: readonly Sample[]): readonly PacePoint[] => {
  const points: PacePoint[] = []
  let [from] = samples
  for (const sample of samples.slice(1)) {
    if (!from || sample.at - from.at < step) continue
    if (sample.at - from.at < 60_000) points.push({ at: sample.at, perSecond: between(from, sample) })
    from = sample
  }
  return points
}

const samplesAt = (id: string) => `posthorn-pace-${id}`

/** Samples that this tab stored before the page was reloaded. */
export const storedSamples = (id: string): readonly Sample[] => {
  try {
    return JSON.parse(sessionStorage.getItem(samplesAt(id)) ?? '[]') as readonly Sample[]
  } catch {
    return []
  }
}

export const storeSamples = (id: string, samples: readonly Sample[]): void => {
  try {
    sessionStorage.setItem(samplesAt(id), JSON.stringify(samples))
  } catch {
    // The chart then begins anew when the page is loaded again.
  }
}
