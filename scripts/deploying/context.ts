import { execFile } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { checkout } from '../../tests/server-process.js'

/** Copies the files that docker build would send: tracked and untracked files, without those that .dockerignore excludes. */
export const copyContext = async (to: string): Promise<void> => {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    cwd: checkout,
    maxBuffer: 64 * 1024 * 1024,
  })
  for (const path of stdout.split('\0').filter((one) => one !== '' && !/^(?:docs|\.ci)\//.test(one))) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    cpSync(join(checkout, path), join(to, path))
  }
}
