import { setImmediate as turn } from 'node:timers/promises'

/** A range of keys, without `after` and with `upTo`. */
export type Slice = { readonly after: string; readonly upTo: string }

/**
 * Walks over keys in slices, and yields to the event loop between them, because SQLite's queries are synchronous. `end` returns the last
 * key of the slice after a key, or undefined if no keys are left.
 */
export async function* slices(
  end: (after: string) => string | undefined | Promise<string | undefined>,
  start: string,
): AsyncGenerator<Slice> {
  for (let after = start; ; ) {
    const upTo = await end(after)
    if (upTo === undefined) return
    yield { after, upTo }
    after = upTo
    await turn()
  }
}
