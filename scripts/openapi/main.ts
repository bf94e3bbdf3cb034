import { fileURLToPath } from 'node:url'
import { tryPython, tryTypeScript } from './clients.js'
import { pythonTools } from './python-tools.js'
import { trySchemathesis } from './schemathesis.js'

const cache = fileURLToPath(new URL('../../node_modules/.cache', import.meta.url))

const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  const started = performance.now()
  const result = await work()
  console.log(`${what}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
  return result
}

try {
  const python = await timed('Python tools', () => pythonTools(cache))
  await timed('openapi-typescript', () => tryTypeScript(cache))
  await timed('openapi-python-client', () => tryPython(cache, python))
  await timed('schemathesis', () => trySchemathesis(python))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
