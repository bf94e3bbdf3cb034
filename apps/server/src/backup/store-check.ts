import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkStore, type StoreCheck } from '@posthorn/adapters-sqlite'
import { databaseIn, dataDirectoryParts } from '../data-directory.js'

/** Of a data directory with a database. */
export const checkStoreDirectory = (directory: string): StoreCheck =>
  checkStore(databaseIn(directory), (key) => existsSync(join(directory, dataDirectoryParts.files, key)))
