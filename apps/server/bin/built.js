import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const checkout = fileURLToPath(new URL('../../../', import.meta.url))
const stamp = fileURLToPath(new URL('../dist/.built', import.meta.url))

/** Every package that the build reads and writes, from the checkout's root. */
const packages = () =>
  ['packages', 'apps'].flatMap((group) => readdirSync(join(checkout, group)).map((name) => join(group, name)))

const stateOf = (path) => {
  const found = statSync(join(checkout, path), { throwIfNoEntry: false })
  return found ? `${path} ${found.size} ${found.mtimeMs}` : path
}

const filesBelow = (path) =>
  readdirSync(join(checkout, path), { withFileTypes: true }).flatMap((entry) => {
    const below = join(path, entry.name)
    return entry.isDirectory() ? filesBelow(below) : [below]
  })

/** Changes with every file that the build reads, and with the checkout being elsewhere. */
const sourcesState = () => {
  const read = packages().flatMap((path) => [
    join(path, 'package.json'),
    join(path, 'tsconfig.json'),
    join(path, 'build.js'),
    ...['src', 'public'].flatMap((folder) =>
      existsSync(join(checkout, path, folder)) ? filesBelow(join(path, folder)) : [],
    ),
  ])
  const states = ['tsconfig.build.json', 'tsconfig.base.json', 'package-lock.json', ...read].map(stateOf)
  return createHash('sha256')
    .update([checkout, process.version, ...states].join('\n'))
    .digest('hex')
}

const isBuilt = (state) =>
  existsSync(stamp) &&
  readFileSync(stamp, 'utf8') === state &&
  packages().every((path) => existsSync(join(checkout, path, 'dist')))

/**
 * Builds a checkout where something has changed since it was built last; a package as it is published is built already. Ends the
 * process where the build fails.
 */
export const ensureBuilt = () => {
  if (!existsSync(join(checkout, 'tsconfig.base.json'))) return
  const state = sourcesState()
  if (isBuilt(state)) return
  const compiler = join(checkout, 'node_modules/typescript/bin/tsc')
  if (!existsSync(compiler)) {
    process.stderr.write('error: Posthorn is not installed yet. Run first: npm ci --ignore-scripts\n')
    process.exit(1)
  }
  process.stderr.write(
    existsSync(stamp)
      ? 'Building what has changed …\n'
      : 'Building Posthorn for the first time, which takes about a minute …\n',
  )
  const bundles = packages().map((path) => join(path, 'build.js'))
  const steps = bundles.filter((path) => existsSync(join(checkout, path))).map((path) => [path])
  for (const step of [[compiler, '-b', 'tsconfig.build.json'], ...steps]) {
    const { status } = spawnSync(process.execPath, step, { cwd: checkout, stdio: ['ignore', 2, 2] })
    if (status !== 0) process.exit(1)
  }
  writeFileSync(stamp, state)
}

/** npm runs a script of package.json in the checkout; what its user types means where they stand. */
export const standWhereCalled = () => {
  const { INIT_CWD: called, npm_package_json: file, npm_lifecycle_event: script } = process.env
  const isOurs = file !== undefined && ['start', 'demo', 'posthorn'].includes(script ?? '')
  if (called !== undefined && isOurs && process.cwd() === join(file, '..')) process.chdir(called)
}
