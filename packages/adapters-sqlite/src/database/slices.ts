import { setImmediate as turn } from 'node:timers/promises'

/** Excludes `after`, includes `upTo`. */
export type KeySlice = { readonly after: string; readonly upTo: string }

/** Yields between slices, as SQLite is synchronous. `end` returns the next slice's last key. */
export async function* keySlices(
  end: (after: string) => string | undefined | Promise<string | undefined>,
  start: string,
): AsyncGenerator<KeySlice> {
  for (let after = start; ; ) {
    const upTo = await end(after)
    if (upTo === undefined) return
    yield { after, upTo }
    after = upTo
    await turn()
  }
}
