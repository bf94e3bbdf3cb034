import {
  audienceContract,
  type ContractStore,
  contactSearchContract,
  contracts,
  deliveriesContract,
  mailsReceivedContract,
} from '@posthorn/testkit/contracts'
import { openDatabase, type SqliteDatabase } from '../src/database/sqlite-database.js'
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

/** A store on a file that was changed so before it is opened. */
const makeChanged = async (statements: (database: SqliteDatabase) => readonly string[]): Promise<ContractStore> => {
  const { file, remove } = await folder()
  await openSqliteStore({ file }).close()
  const database = openDatabase(file)
  database.alter(() => statements(database))
  await database.close()
  const store = openSqliteStore({ file })
  return {
    ...store,
    close: async () => {
      await store.close()
      await remove()
    },
  }
}

/** A store that has to ask the documents, as one of an older version does until its columns are filled: here they never are. */
const makeUnfilled = () =>
  makeChanged(() => [
    "INSERT INTO contact_columns_fill VALUES ('')",
    "CREATE TRIGGER unfilled BEFORE DELETE ON contact_columns_fill BEGIN SELECT RAISE(ABORT, 'not yet'); END",
  ])

audienceContract('SQLite, without columns', makeUnfilled)
contactSearchContract('SQLite, without columns', makeUnfilled)
mailsReceivedContract('SQLite, without columns', makeUnfilled)

/** A store whose ledger was made before version 9: its rows stand in the tree of their ids. */
const makeOlder = () =>
  makeChanged((database) => {
    const made = `SELECT sql FROM sqlite_schema WHERE tbl_name = 'deliveries' AND sql IS NOT NULL ORDER BY type DESC`
    const [table, ...indexes] = database
      .statement(made)
      .all()
      .map(({ sql }) => String(sql))
    return ['DROP TABLE deliveries', `${table} WITHOUT ROWID`, ...indexes]
  })

deliveriesContract('SQLite, with the ledger of an older file', makeOlder, { runs: 10 })
