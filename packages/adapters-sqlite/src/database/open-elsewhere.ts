import { DatabaseSync } from '@photostructure/sqlite'
import { isBusy } from './group-commit.js'

/** Whether a connection of this or another process has the file open. Changes nothing. @throws Error for a file that is no database */
export const isOpenElsewhere = (file: string): boolean => {
  const connection = new DatabaseSync(file, { timeout: 0 })
  try {
    connection.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK')
    return false
  } catch (error) {
    if (isBusy(error)) return true
    throw error
  } finally {
    connection.close()
  }
}
