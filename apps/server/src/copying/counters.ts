import type { Clock } from '@posthorn/core/ports/runtime'
import { creditKey, monthKey, sandboxDayKey } from '@posthorn/core/ports/storage'
import type { Owner } from './ownership.js'
import type { CopiedStore, Ends } from './stores.js'

export type Count = { readonly key: string; readonly used: number }

/** Counters of limits: an account's credit, and its projects' mails of today and of this month. */
const keysOf = ({ of, id }: Owner, now: Date): readonly string[] =>
  of === 'account' ? [creditKey(id)] : [sandboxDayKey(id, now), monthKey(id, now)]

export const countsOf = async ({ counters }: CopiedStore, owner: Owner, clock: Clock): Promise<readonly Count[]> =>
  Promise.all(keysOf(owner, clock()).map(async (key) => ({ key, used: await counters.used(key) })))

/** Sets the target's counters to the source's values. */
export const copyCounters = async ({ from, to }: Ends, owner: Owner, clock: Clock): Promise<void> => {
  for (const { key, used } of await countsOf(from, owner, clock)) {
    const missing = used - (await to.counters.used(key))
    if (missing > 0) await to.counters.take([{ key, n: missing }])
    if (missing < 0) await to.counters.give({ key, n: -missing })
  }
}
