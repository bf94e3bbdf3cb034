import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkStoreFile, type StoreIntegrityCheck } from '@posthorn/adapters-sqlite'
import { databasePathIn, dataDirectoryEntries } from '../data-directory.js'

/** The directory must have a database. */
export const checkStoreIntegrity = (directory: string): StoreIntegrityCheck =>
  checkStoreFile(databasePathIn(directory), (key) => existsSync(join(directory, dataDirectoryEntries.files, key)))
