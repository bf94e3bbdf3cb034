import { setImmediate as turn } from 'node:timers/promises'

/** From after one key up to another, that one included. */
export type Slice = { readonly after: string; readonly upTo: string }

/**
 * A long walk over keys in slices, `end` saying where the slice after a key ends, undefined where nothing is left. Between two
 * slices the process does other things: SQLite answers at once, and nothing else runs while it does.
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
