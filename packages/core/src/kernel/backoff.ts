/** A delivery fails after 50 attempts, which take about half a day. */
export const maxAttempts = 50

const minute = 60_000

/** Delay after the n-th attempt, in ms: 1, 2, 4, 8 and then 15 minutes. `spread` (0..1) adds up to a quarter. */
export const backOff = (attempts: number, spread: number): number =>
  Math.min(15, 2 ** Math.max(0, attempts - 1)) * minute * (1 + spread / 4)

/** A fraction derived from the text, so that deliveries that failed together are retried at different times. */
export const spreadOf = (text: string): number => {
  let sum = 0
  for (const char of text) sum = (sum * 31 + char.charCodeAt(0)) % 997
  return sum / 997
}
