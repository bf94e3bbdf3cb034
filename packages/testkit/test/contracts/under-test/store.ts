import type { Files } from '@posthorn/core/ports/runtime'
import type { StorePorts } from '@posthorn/core/ports/storage'
import { afterEach, beforeEach } from 'vitest'

/** What an adapter package provides to its contract: every storage port on one empty store. */
export type ContractStore = StorePorts & {
  /** Present if the package also stores files. */
  readonly files?: Files
  /** Opens the same data as another process would; absent if the store supports only one process. */
  readonly another?: () => Promise<ContractStore>
  readonly close: () => Promise<void>
}

/** Makes an empty store. */
export type MakeStore = () => Promise<ContractStore>

export type ContractOptions = {
  /** The number of examples per property (default 50); lower it if making a store is slow. */
  readonly runs?: number
  /** Features that the store cannot have by design; their suites are skipped. */
  readonly without?: readonly ('files' | 'processes' | 'order of code points')[]
}

/** Gives every test of the suite its own store, and closes it afterwards. */
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

/** Runs one example of a property on its own store, and closes the store in any case. */
export const onFreshStore = async (make: MakeStore, work: (store: ContractStore) => Promise<void>): Promise<void> => {
  const store = await make()
  try {
    await work(store)
  } finally {
    await store.close()
  }
}
