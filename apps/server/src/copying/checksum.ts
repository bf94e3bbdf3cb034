import { createHash } from 'node:crypto'

/** Independent of the order of fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

export type Checksum = { readonly count: number; readonly digest: string }

export const sameData = (one: unknown, other: unknown): boolean => canonical(one) === canonical(other)

export const sameChecksum = (one: Checksum, other: Checksum): boolean =>
  one.count === other.count && one.digest === other.digest

/** XOR of each value's SHA-256, because stores sort differently. Add no value twice: it would cancel itself. */
export const unorderedChecksum = () => {
  const digest = Buffer.alloc(32)
  let count = 0
  return {
    add: (value: unknown): void => {
      const one = createHash('sha256')
        .update(value instanceof Uint8Array ? value : canonical(value))
        .digest()
      for (let n = 0; n < digest.length; n += 1) digest[n] = (digest[n] ?? 0) ^ (one[n] ?? 0)
      count += 1
    },
    sum: (): Checksum => ({ count, digest: digest.toString('hex') }),
  }
}

export const checksumOf = async (values: AsyncIterable<unknown> | Iterable<unknown>): Promise<Checksum> => {
  const { add, sum } = unorderedChecksum()
  for await (const value of values) add(value)
  return sum()
}
