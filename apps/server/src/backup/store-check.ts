import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { checkStore, type StoreCheck } from '@posthorn/adapters-sqlite'
import { databaseIn, parts } from '../data-directory.js'

/** Of a data directory with a database. */
export const checkDirectory = (directory: string): StoreCheck =>
  checkStore(databaseIn(directory), (key) => existsSync(join(directory, parts.files, key)))
