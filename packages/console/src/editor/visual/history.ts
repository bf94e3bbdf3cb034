/** Changes with the same key within 1 s are one step. */
export type History<T> = {
  readonly now: T
  readonly past: readonly T[]
  readonly future: readonly T[]
  readonly last?: { readonly key: string; readonly at: number }
}

const mostSteps = 200
/** In ms. */
const longestStep = 1_000

export const startingWith = <T>(now: T): History<T> => ({ now, past: [], future: [] })

export const changed = <T>({ now, past, last }: History<T>, next: T, key: string, at: number): History<T> => {
  const isSameStep = key !== '' && last?.key === key && at - last.at < longestStep && past.length > 0
  return {
    now: next,
    past: isSameStep ? past : [...past, now].slice(-mostSteps),
    future: [],
    last: { key, at },
  }
}

export const undone = <T>(history: History<T>): History<T> => {
  const { now, past, future } = history
  if (past.length === 0) return history
  return { now: past[past.length - 1] as T, past: past.slice(0, -1), future: [now, ...future] }
}

export const redone = <T>(history: History<T>): History<T> => {
  const { now, past, future } = history
  if (future.length === 0) return history
  return { now: future[0] as T, past: [...past, now], future: future.slice(1) }
}
