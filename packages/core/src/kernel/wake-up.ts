import type { Clock } from './ports.js'

/** Lets a loop that polls for work sleep until a producer wakes it. */
export const wakeUpSignal = () => {
  let waking = new AbortController()
  return {
    wake: (): void => {
      // Without a reason, each abort would create an error with its stack.
      waking.abort('woken')
      waking = new AbortController()
    },
    signal: (): AbortSignal => waking.signal,
  }
}
export type WakeUpSignal = ReturnType<typeof wakeUpSignal>

type Options<T> = {
  readonly query: () => Promise<T>
  readonly isEmpty: (answer: T) => boolean
  readonly clock: Clock
  readonly wakeUp: WakeUpSignal
  /** In ms; doubled after each empty answer. */
  readonly interval: { readonly first: number; readonly longest: number }
}

/** Polls the store. Callers share one answer until it expires, is invalidated, or a wake-up comes. */
export const cachedPoll = <T>({ query, isEmpty, clock, wakeUp, interval }: Options<T>) => {
  let last: { readonly answer: Promise<T>; readonly signal: AbortSignal; readonly at: number } | undefined
  let current = interval.first

  const isFresh = ({ signal, at }: NonNullable<typeof last>) => {
    const age = clock().getTime() - at
    return !signal.aborted && age >= 0 && age < current
  }

  const poll = (): Promise<T> => {
    if (last?.signal.aborted) current = interval.first
    const polled = { answer: query(), signal: wakeUp.signal(), at: clock().getTime() }
    last = polled
    polled.answer.then(
      (answer) => {
        current = isEmpty(answer) ? Math.min(interval.longest, current * 2) : interval.first
      },
      () => {
        if (last === polled) last = undefined
      },
    )
    return polled.answer
  }

  return {
    answer: (): Promise<T> => (last && isFresh(last) ? last.answer : poll()),
    invalidate: (): void => {
      last = undefined
    },
  }
}
