import { randomInt } from 'node:crypto'

const finest = 2 ** 32

/** A random number between `low` and `high`. */
export const between = (low: number, high: number): number => low + ((high - low) * randomInt(finest)) / finest

/** A random member of a list that is not empty. */
export const oneOf = <T>(list: readonly T[]): T => list[randomInt(list.length)] as T

/** The list in random order, every order equally likely (Fisher–Yates). */
export const shuffled = <T>(list: readonly T[]): readonly T[] => {
  const result = [...list]
  for (let last = result.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[result[last], result[other]] = [result[other] as T, result[last] as T]
  }
  return result
}
