/** After so many attempts, over about half a day, a delivery has failed. */
export const maxAttempts = 50

const minute = 60_000

/** How long a delivery waits after its n-th attempt: 1, 2, 4, 8 and then 15 minutes, each up to a quarter longer, by `spread` in 0..1. */
export const backOff = (attempts: number, spread: number): number =>
  Math.min(15, 2 ** Math.max(0, attempts - 1)) * minute * (1 + spread / 4)

/** A fraction that is the same for the same text and differs between texts, so that what failed together is not retried together. */
export const spreadOf = (text: string): number => {
  let sum = 0
  for (const char of text) sum = (sum * 31 + char.charCodeAt(0)) % 997
  return sum / 997
}
