import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { tryPython, tryTypeScript } from './clients.js'
import { pythonTools } from './python-tools.js'
import { trySchemathesis } from './schemathesis.js'

const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))
/** Outside `node_modules`, which `npm ci` removes: installing the Python tools takes minutes on a busy machine. */
const userCache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'posthorn')

const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  const started = performance.now()
  const result = await work()
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return result
}

const { values } = parseArgs({ options: { clients: { type: 'boolean', default: false } } })

try {
  mkdirSync(userCache, { recursive: true })
  const python = await timed('Python tools', () => pythonTools(userCache))
  await timed('openapi-typescript', () => tryTypeScript(cache))
  await timed('openapi-python-client', () => tryPython(cache, python))
  if (!values.clients) await timed('schemathesis', () => trySchemathesis(python))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
