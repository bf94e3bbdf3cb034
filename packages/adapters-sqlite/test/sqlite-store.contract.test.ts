import { type ContractStore, contracts } from '@posthorn/testkit/contracts'
import { openSqliteStore } from '../src/index.js'
import { folder } from './folder.js'

const make = async (): Promise<ContractStore> => {
  const { file, remove } = await folder()
  const open = (close: () => Promise<void>): ContractStore => {
    const store = openSqliteStore({ file })
    return {
      ...store,
      another: async () => open(async () => {}),
      close: async () => {
        await store.close()
        await close()
      },
    }
  }
  return open(remove)
}

contracts('SQLite', make, { without: ['files'] })
