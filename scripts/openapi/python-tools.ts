import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from './run.js'

const requirements = fileURLToPath(new URL('requirements.txt', import.meta.url))

/**
 * A Python virtual environment with exactly what `requirements.txt` names, below the cache; made once for each content of that file.
 * Answers how its programs are run.
 */
export const pythonTools = async (cache: string) => {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12)
  const home = join(cache, `openapi-python-${digest}`)
  const bin = join(home, 'bin')
  const complete = join(home, 'complete')
  if (!existsSync(complete)) {
    await run('python3', ['-m', 'venv', '--clear', home])
    await run(join(bin, 'pip'), ['install', '--quiet', '--no-deps', '--requirement', requirements])
    writeFileSync(complete, '')
  }
  return {
    program: (name: string) => join(bin, name),
    env: { PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, PYTHONDONTWRITEBYTECODE: '1' },
  }
}
export type PythonTools = Awaited<ReturnType<typeof pythonTools>>
