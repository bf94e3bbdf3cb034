/** Numbers that are the same for the same seed (mulberry32). */
export const seeded = (seed: number) => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return {
    /** From 0 to less than 1. */
    next,
    /** A whole number, both ends included. */
    between: (least: number, most: number): number => least + Math.floor(next() * (most - least + 1)),
    oneOf: <T>(choices: readonly [T, ...T[]]): T => choices[Math.floor(next() * choices.length)] ?? choices[0],
  }
}
export type Random = ReturnType<typeof seeded>
