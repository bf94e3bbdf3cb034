import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A folder of its own for one test, and how to be rid of it. */
export const folder = async () => {
  const path = await mkdtemp(join(tmpdir(), 'posthorn-sqlite-'))
  return { path, file: join(path, 'posthorn.db'), remove: () => rm(path, { recursive: true, force: true }) }
}
