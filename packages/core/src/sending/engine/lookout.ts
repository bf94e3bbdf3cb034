import type { Clock } from '../../kernel/ports.js'
import type { WakeUp } from '../../kernel/wake-up.js'

type Lookout<T> = {
  readonly ask: () => Promise<T>
  readonly isNothing: (answer: T) => boolean
  readonly clock: Clock
  readonly wakeUp: WakeUp
  /** How old an answer may be, in milliseconds; after nothing, twice as old each time, up to the longest. */
  readonly times: { readonly first: number; readonly longest: number }
}

/**
 * Asks the store what there is to do, for several who want to know again and again: one answer serves all of them until it is too old,
 * somebody finds it outdated, or a wake-up comes.
 */
export const lookout = <T>({ ask, isNothing, clock, wakeUp, times }: Lookout<T>) => {
  let last: { readonly answer: Promise<T>; readonly signal: AbortSignal; readonly at: number } | undefined
  let patience = times.first

  const isFresh = ({ signal, at }: NonNullable<typeof last>) => {
    const age = clock().getTime() - at
    return !signal.aborted && age >= 0 && age < patience
  }

  const askAnew = (): Promise<T> => {
    if (last?.signal.aborted) patience = times.first
    const asked = { answer: ask(), signal: wakeUp.signal(), at: clock().getTime() }
    last = asked
    asked.answer.then(
      (answer) => {
        patience = isNothing(answer) ? Math.min(times.longest, patience * 2) : times.first
      },
      () => {
        if (last === asked) last = undefined
      },
    )
    return asked.answer
  }

  return {
    answer: (): Promise<T> => (last && isFresh(last) ? last.answer : askAnew()),
    /** What was answered does not hold any more: the next who wants to know asks. */
    forget: (): void => {
      last = undefined
    },
  }
}
