import type { Files, StorePorts } from '@posthorn/core/ports'
import { afterEach, beforeEach } from 'vitest'

/** What an adapter package brings to its contract: every storage port on one empty store. */
export type ContractStore = StorePorts & {
  /** Where the package keeps files too. */
  readonly files?: Files
  /** A second way to the same data, as another process would have; absent where there is one process only. */
  readonly another?: () => Promise<ContractStore>
  readonly close: () => Promise<void>
}

/** Makes a store that nothing was ever written to. */
export type MakeStore = () => Promise<ContractStore>

export type ContractOptions = {
  /** How many examples a property tries; fewer where making a store is slow. 50 unless told otherwise. */
  readonly runs?: number
  /** What the store does not have by its nature; the suites about it are left out, not passed over. */
  readonly without?: readonly ('files' | 'processes' | 'order of code points')[]
}

/** A store of its own for every test of the suite, closed afterwards. */
export const freshStore = <S extends { readonly close: () => Promise<void> }>(make: () => Promise<S>) => {
  let store: S | undefined
  beforeEach(async () => {
    store = await make()
  })
  afterEach(async () => {
    await store?.close()
    store = undefined
  })
  return (): S => {
    if (!store) throw new Error('There is a store only while a test runs')
    return store
  }
}

/** Runs the work on a store of its own, which is closed whatever comes of it: one example of a property. */
export const onFreshStore = async (make: MakeStore, work: (store: ContractStore) => Promise<void>): Promise<void> => {
  const store = await make()
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
