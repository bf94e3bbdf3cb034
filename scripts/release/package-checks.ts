import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import type { Manifest } from '../packing/packing.js'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

/** Names of directories of this machine that nothing published may contain; short ones such as /root are words elsewhere. */
const machinePaths = [root, homedir(), tmpdir()].filter((path) => path.split('/').length > 2)

const exactVersion = /^\d+\.\d+\.\d+(?:-[\w.]+)?$/

const filesBelow = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder, { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))

/** Paths that the entries of `exports`, `imports`, `bin` and `main` lead to. */
const targetsIn = (entries: unknown): readonly string[] => {
  if (typeof entries === 'string') return entries.startsWith('.') ? [entries] : []
  return typeof entries === 'object' && entries !== null ? Object.values(entries).flatMap(targetsIn) : []
}

const resolves = (target: string, files: readonly string[]): boolean => {
  const [before = '', after] = target.replace(/^\.\//, '').split('*')
  return files.some((path) => (after === undefined ? path === before : path.startsWith(before) && path.endsWith(after)))
}

const manifestViolations = (
  manifest: Manifest & { readonly main?: string; readonly license?: string },
  files: readonly string[],
) => {
  const { name, version, dependencies = {}, optionalDependencies = {}, exports, imports, bin, main, license } = manifest
  const all = Object.entries({ ...dependencies, ...optionalDependencies })
  const targets = [exports, imports, bin, main === undefined ? undefined : `./${main.replace(/^\.\//, '')}`].flatMap(
    targetsIn,
  )
  return [
    ...(license === 'MIT' ? [] : ['its licence is not named']),
    ...targets.filter((target) => !resolves(target, files)).map((target) => `${target} does not exist`),
    ...all
      .filter(([other, range]) => (other.startsWith('@posthorn/') ? range !== version : !exactVersion.test(range)))
      .map(
        ([other, range]) =>
          `it depends on ${other} ${range}, not on an exact version${other.startsWith('@posthorn/') ? `, ${version}` : ''}`,
      ),
    ...(name.startsWith('@posthorn/') ? [] : ['its name is not in our scope']),
  ]
}

const contentViolations = async (folder: string, files: readonly string[]): Promise<readonly string[]> => {
  const found = files.map(async (path) => {
    const content = await readFile(join(folder, path), 'latin1')
    return machinePaths.filter((one) => content.includes(one)).map((one) => `${path} names ${one} of this machine`)
  })
  return (await Promise.all(found)).flat()
}

/** What keeps a packed package from being published; none if all is well. */
export const packageViolations = async (tarball: string): Promise<readonly string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-package-'))
  try {
    await run('tar', ['-xzf', tarball, '-C', folder])
    const inside = join(folder, 'package')
    if (!existsSync(join(inside, 'package.json'))) return [`${tarball}: it is no package`]
    const manifest = JSON.parse(await readFile(join(inside, 'package.json'), 'utf8'))
    const files = await filesBelow(inside)
    const missing = ['README.md', 'LICENSE'].filter((path) => !files.includes(path))
    const unwanted = files.filter((path) => /\.map$|^src\/|\.tsbuildinfo$|(?:^|\/)\.(?:env|npmrc|built)/.test(path))
    const violations = [
      ...missing.map((path) => `it has no ${path}`),
      ...unwanted.map((path) => `it contains ${path}`),
      ...manifestViolations(manifest, files),
      ...(await contentViolations(inside, files)),
    ]
    return violations.map((one) => `${manifest.name}: ${one}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
