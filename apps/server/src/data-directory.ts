import { randomBytes } from 'node:crypto'
import { accessSync, chmodSync, constants, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The data directory cannot be used; the message says what to do. */
export class UnusableDataDirectory extends Error {
  override readonly name = 'UnusableDataDirectory'
}

export type DataDirectory = {
  readonly database: string
  readonly files: string
  readonly outbox: string
  /** The secret that is kept here; made, once among all processes, where there is none. */
  readonly secret: () => string
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** @throws UnusableDataDirectory when it cannot be made, read or written */
export const openDataDirectory = (path: string): DataDirectory => {
  try {
    mkdirSync(path, { recursive: true })
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw new UnusableDataDirectory(
      `The data directory ${path} cannot be used (${reasonOf(error)}). Give POSTHORN_DATA_DIR a directory that this user may write to.`,
    )
  }
  const file = join(path, 'secret')
  const made = () => {
    const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
    writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600, flush: true })
    try {
      linkSync(draft, file)
    } catch {
      // another process was first: its secret is the one
    }
    rmSync(draft)
  }
  return {
    database: join(path, 'posthorn.db'),
    files: join(path, 'files'),
    outbox: join(path, 'outbox'),
    secret: () => {
      try {
        return readFileSync(file, 'utf8').trim()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
          throw new UnusableDataDirectory(`The secret ${file} cannot be read (${reasonOf(error)}).`)
      }
      made()
      chmodSync(file, 0o600)
      return readFileSync(file, 'utf8').trim()
    },
  }
}
