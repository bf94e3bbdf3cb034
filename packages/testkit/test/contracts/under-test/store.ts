import type { Files } from '@posthorn/core/ports/runtime'
import type { StorePorts } from '@posthorn/core/ports/storage'
import { afterEach, beforeEach } from 'vitest'

/** What an adapter package provides to its contract: every storage port on one empty store. */
export type ContractStore = StorePorts & {
  /** Present if the package also stores files; otherwise give `without: ['files']`. */
  readonly files?: Files
  /**
   * Opens the same data again, as another process would: with connections and caches of its own. The suite closes it before the first
   * one. Absent if only one process may use the store; then give `without: ['processes']`.
   */
  readonly another?: () => Promise<ContractStore>
  /** Closes what was opened. Of the first one: removes the data, too. Called once, also after a failed test. */
  readonly close: () => Promise<void>
}

/** Makes an empty store. Called for each test, and for each example of a property: a store that is slow to make wants fewer `runs`. */
export type MakeStore = () => Promise<ContractStore>

export type ContractOptions = {
  /** The number of examples per property (by default 30 or 50); lower it if making a store is slow. */
  readonly runs?: number
  /**
   * What the store cannot do by design; the tests of it are skipped:
   * - `files`: it stores no attachments and images; `openPosthorn` takes `files` for them
   * - `processes`: only one process may use it
   * - `order of code points`: it sorts characters beyond U+FFFF, such as emoji, by UTF-16 units
   */
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
