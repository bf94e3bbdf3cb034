import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesContract } from '@posthorn/testkit/contracts'
import { localFiles } from '../src/index.js'

filesContract('a local directory', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'posthorn-files-'))
  return { files: localFiles(directory), close: () => rm(directory, { recursive: true, force: true }) }
})
