import type { Sleep } from '../kernel/ports.js'
import { isBusy, Refusal } from '../kernel/refusal.js'

/** Slices of this size or smaller are not halved again; if the store fails for them, the import ends. */
const smallestSlice = 125
/** Pause before retrying after a store failure, in ms. */
const retryPause = 1_000

/** The store failed repeatedly, independent of the rows. Rows before that line may be imported; repeating the import adds the others. */
export class ImportInterrupted extends Error {
  override readonly name = 'ImportInterrupted'

  constructor(
    readonly line: number,
    cause: unknown,
  ) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    super(`The import stopped at line ${line} because the store failed: ${reason}`, { cause })
  }
}

/**
 * Writes all rows at once. If the store fails, retries once, then with half the rows at a time, because a slow store may handle fewer. Rows
 * may be written twice.
 * @throws ImportInterrupted if the store also fails for the smallest slice
 */
export const inSlices = async <Row extends { readonly line: number }, Result>(
  rows: readonly Row[],
  write: (some: readonly Row[]) => Promise<ReadonlyMap<Row, Result>>,
  sleep: Sleep,
): Promise<ReadonlyMap<Row, Result>> => {
  const results = new Map<Row, Result>()
  let size = rows.length
  let failures = 0
  for (let from = 0; from < rows.length; ) {
    const slice = rows.slice(from, from + size)
    try {
      for (const [row, result] of await write(slice)) results.set(row, result)
      from += slice.length
      failures = 0
    } catch (error) {
      if (error instanceof Refusal && !isBusy(error)) throw error
      failures += 1
      if (failures > 1 && size <= smallestSlice) throw new ImportInterrupted(slice[0]?.line ?? 0, error)
      if (failures > 1) size = Math.ceil(size / 2)
      await sleep(retryPause)
    }
  }
  return results
}
