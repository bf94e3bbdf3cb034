import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { addonHere, addonPackages, bundleSqlite, stagedAddons } from './sqlite-addons.js'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

export type Manifest = {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly engines?: Readonly<Record<string, string>>
  readonly workspaces?: readonly string[]
  readonly files?: readonly string[]
  readonly exports?: unknown
  readonly imports?: unknown
  readonly bin?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The git remote that a clone came from: where the sources are. */
export const repositoryHere = (): Promise<string | undefined> =>
  run('git', ['remote', 'get-url', 'origin'], { cwd: root }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  )

export const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))

/** Folders of the packages that are published. */
export const published = async (): Promise<readonly string[]> => {
  const { workspaces = [] } = await manifestOf('.')
  const manifests = await Promise.all(workspaces.map(manifestOf))
  return workspaces.filter((_, index) => manifests[index]?.private !== true)
}

const ourCondition = '@posthorn/source'

/** Entries for this repository's sources, which are not packed. */
const withoutSources = (entries: unknown): unknown =>
  typeof entries === 'object' && entries !== null && !Array.isArray(entries)
    ? Object.fromEntries(
        Object.entries(entries)
          .filter(([condition]) => condition !== ourCondition)
          .map(([condition, target]) => [condition, withoutSources(target)]),
      )
    : entries

const isPacked = (path: string): boolean => !/\.map$|\/\.built$|\.tsbuildinfo$/.test(path)

/** Source maps stay here: they name sources that are not packed. */
const withoutMapComments = async (folder: string): Promise<void> => {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile() || !/\.[cm]?(?:js|ts)$/.test(entry.name)) continue
    const path = join(entry.parentPath, entry.name)
    const text = await readFile(path, 'utf8')
    const without = text.replace(/\n?\/\/# sourceMappingURL=\S+\s*$/, '\n')
    if (without !== text) await writeFile(path, without)
  }
}

/** A copy of a package that knows where its sources are, which only whoever publishes it does. */
const staged = async (folder: string, repository: string | undefined, to: string): Promise<string> => {
  const { devDependencies: _, ...manifest } = await manifestOf(folder)
  const files = (manifest.files ?? []).filter((part) => part !== 'src')
  const copy = join(to, folder)
  await mkdir(copy, { recursive: true })
  for (const part of [...files, 'README.md', 'LICENSE'])
    await cp(join(root, folder, part), join(copy, part), { recursive: true, filter: isPacked })
  await withoutMapComments(copy)
  const isSqlite = manifest.name === '@posthorn/adapters-sqlite'
  const addition = isSqlite ? await bundleSqlite(copy, manifest.version) : undefined
  const whole = {
    ...manifest,
    files,
    exports: withoutSources(manifest.exports),
    ...(manifest.imports !== undefined && { imports: withoutSources(manifest.imports) }),
    ...(repository !== undefined && { repository: { type: 'git', url: repository, directory: folder } }),
    ...addition,
    dependencies: { ...manifest.dependencies, ...addition?.dependencies },
  }
  await writeFile(join(copy, 'package.json'), `${JSON.stringify(whole, undefined, 2)}\n`)
  return copy
}

/** Packs each package as it is published, with the repository that it comes from, if known. Answers the tarballs' names. */
export const packAll = async ({
  repository,
  out,
}: {
  readonly repository: string | undefined
  readonly out: string
}): Promise<readonly string[]> => {
  const stage = await mkdtemp(join(tmpdir(), 'posthorn-packing-'))
  try {
    await mkdir(out, { recursive: true })
    const { version } = await manifestOf('.')
    const copies = await Promise.all((await published()).map((folder) => staged(folder, repository, stage)))
    const addons = await stagedAddons(version, repository, stage)
    const packing = ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(out)]
    const { stdout } = await run('npm', [...packing, ...copies, ...addons], { maxBuffer: 64 * 1024 * 1024 })
    return (JSON.parse(stdout) as readonly { readonly filename: string }[]).map(({ filename }) => basename(filename))
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

export const tarballOf = (name: string, version: string): string =>
  `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`

/** Our packages that this one needs, and theirs; the platforms’ packages of SQLite are in `addons`. */
const needed = async (names: readonly string[]): Promise<ReadonlySet<string>> => {
  const manifests = new Map<string, Manifest>()
  for (const folder of await published()) {
    const manifest = await manifestOf(folder)
    manifests.set(manifest.name, manifest)
  }
  const all = new Set<string>()
  const take = (name: string): void => {
    const manifest = manifests.get(name)
    if (!manifest || all.has(name)) return
    all.add(name)
    for (const dependency of Object.keys(manifest.dependencies ?? {})) take(dependency)
  }
  for (const name of names) take(name)
  return all
}

/**
 * Dependencies of a manifest beside the tarballs that `packAll` has written into `folder` below it: the packages, all others of ours
 * that they need, and SQLite for this machine or for all.
 */
export const tarballDependencies = async (
  names: readonly string[],
  { folder, addons }: { readonly folder: string; readonly addons: 'here' | 'all' },
) => {
  const { version } = await manifestOf('.')
  const all = await needed(names)
  const at = (name: string) => [name, `file:${join(folder, tarballOf(name, version))}`] as const
  const sqlite = all.has('@posthorn/adapters-sqlite')
    ? await (addons === 'all' ? addonPackages() : addonHere().then((name) => (name === undefined ? [] : [name])))
    : []
  return {
    dependencies: Object.fromEntries([...all].map(at)),
    optionalDependencies: Object.fromEntries(sqlite.map(at)),
  }
}

/**
 * Packs these packages and all others of ours that they need, with SQLite for all platforms, into `folder` of a directory.
 * Answers the dependencies of a manifest in that directory.
 * @throws Error that names a package which is not ours
 */
export const packNeeded = async (
  names: readonly string[],
  {
    repository,
    directory,
    folder,
  }: { readonly repository: string | undefined; readonly directory: string; readonly folder: string },
) => {
  const ours = await tarballDependencies(names, { folder, addons: 'all' })
  const unknown = names.find((name) => !(name in ours.dependencies))
  if (unknown !== undefined) throw new Error(`${unknown} is not a package of this repository.`)
  const target = join(directory, folder)
  const all = join(target, '.all')
  await mkdir(target, { recursive: true })
  await packAll({ repository, out: all })
  for (const path of Object.values({ ...ours.dependencies, ...ours.optionalDependencies })) {
    const name = basename(path)
    await rename(join(all, name), join(target, name))
  }
  await rm(all, { recursive: true })
  return ours
}
