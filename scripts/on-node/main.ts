import { join } from 'node:path'
import { fetchNode } from './fetch-node.js'
import { nodePackage } from './node-package.js'
import { nodeVersion, otherVersions } from './node-versions.js'
import { runWith } from './run-with.js'

const cache = join(import.meta.dirname, '../../node_modules/.cache/posthorn-node')

/** Runs the command on each version, whatever becomes of it on another; answers the first exit code that is not 0. */
const runOn = async (versions: readonly string[], command: readonly string[]): Promise<number> => {
  const name = nodePackage(process.platform, process.arch)
  let failed = 0
  for (const version of versions) {
    const bin = await fetchNode({ name, version }, { cache })
    if (versions.length > 1) process.stderr.write(`\nOn Node ${version}: ${command.join(' ')}\n`)
    const code = await runWith(bin, command)
    if (code !== 0) process.stderr.write(`On Node ${version} it ended with ${code}.\n`)
    failed ||= code
  }
  return failed
}

const [which, ...command] = process.argv.slice(2)
try {
  if (which === undefined || command.length === 0)
    throw new Error('Say on which Node to run what: npm run on-node -- 24 npm test')
  const versions = which === 'others' ? otherVersions(process.versions.node) : [nodeVersion(which)]
  process.exitCode = await runOn(versions, command)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
