import { randomInt } from 'node:crypto'

const finest = 2 ** 32

export const between = (low: number, high: number): number => low + ((high - low) * randomInt(finest)) / finest

/** `list` is not empty. */
export const oneOf = <T>(list: readonly T[]): T => list[randomInt(list.length)] as T

/** Fisher–Yates. */
export const shuffled = <T>(list: readonly T[]): readonly T[] => {
  const result = [...list]
  for (let last = result.length - 1; last > 0; last--) {
    const other = randomInt(last + 1)
    ;[result[last], result[other]] = [result[other] as T, result[last] as T]
  }
  return result
}
