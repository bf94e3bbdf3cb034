import { audienceContract, type ContractStore, contactSearchContract, contracts } from '@posthorn/testkit/contracts'
import { thorough } from '../../../tests/thorough.js'
import { sqliteAudience } from '../src/contacts/sqlite-audience.js'
import { sqliteContactSearch } from '../src/contacts/sqlite-contact-search.js'
import { openDatabase } from '../src/database/sqlite-database.js'
import { openSqliteStore } from '../src/index.js'
import { contactSegmentIndex } from '../src/segment-index/segment-index.js'
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

const runs = thorough ? 50 : 20

contracts('SQLite', make, { runs, without: ['files'] })

/** A store that takes every list for a small one, and so reads the contacts' documents instead of the segment index. */
const makeByDocument = async (): Promise<ContractStore> => {
  const { file, remove } = await folder()
  const store = openSqliteStore({ file })
  const database = openDatabase(file)
  const index = contactSegmentIndex(database)
  const projectsOnly = { ...index, tally: (id: string) => index.tally(id, '') }
  return {
    ...store,
    audience: sqliteAudience(database, projectsOnly),
    contactSearch: sqliteContactSearch(database, projectsOnly),
    close: async () => {
      await Promise.all([database.close(), store.close()])
      await remove()
    },
  }
}

audienceContract('SQLite, by document', makeByDocument, { runs })
contactSearchContract('SQLite, by document', makeByDocument, { runs })
