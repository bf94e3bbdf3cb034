import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const library = '@photostructure/sqlite'
const { resolve } = createRequire(new URL('../../packages/adapters-sqlite/package.json', import.meta.url))
const installed = dirname(resolve(`${library}/package.json`))

type Addon = {
  readonly os: string
  readonly cpu: string
  readonly libc: 'glibc' | 'musl' | undefined
  readonly file: string
}

const nameOf = ({ os, cpu, libc }: Omit<Addon, 'file'>): string =>
  `@posthorn/sqlite-${os}-${cpu}${libc === 'musl' ? '-musl' : ''}`

/** The package with SQLite for this machine; `undefined` for machines that SQLite is not built for. */
export const addonHere = async (): Promise<string | undefined> => {
  const isMusl = existsSync('/etc/alpine-release')
  const here = { os: process.platform, cpu: process.arch, libc: isMusl ? 'musl' : 'glibc' } as const
  return (await addons()).map(nameOf).find((name) => name === nameOf(here))
}

const addons = async (): Promise<readonly Addon[]> => {
  const folders = await readdir(join(installed, 'prebuilds'))
  const all = folders.map(async (folder) => {
    const [os = '', cpu = ''] = folder.split('-')
    const files = await readdir(join(installed, 'prebuilds', folder))
    return files.map((name): Addon => {
      const libc = name.includes('.musl.') ? 'musl' : 'glibc'
      return { os, cpu, libc: os === 'linux' ? libc : undefined, file: join(installed, 'prebuilds', folder, name) }
    })
  })
  return (await Promise.all(all)).flat()
}

/** The packages of all platforms, by name. */
export const addonPackages = async (): Promise<readonly string[]> => (await addons()).map(nameOf)

/** What the library calls instead of its own loader, which looks for all platforms in one package. */
const loader = `const { existsSync } = require('node:fs')

/** musl's first on Alpine, where glibc's cannot be loaded; elsewhere glibc's. */
const flavours = existsSync('/etc/alpine-release') ? ['-musl', ''] : ['', '-musl']
const names = flavours.map((flavour) => \`@posthorn/sqlite-\${process.platform}-\${process.arch}\${flavour}\`)

module.exports = () => {
  for (const name of names) {
    try {
      return require(name)
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
    }
  }
  throw new Error(
    \`SQLite for \${process.platform} on \${process.arch} is not installed. Install \${names[0]}, of the version of Posthorn; npm does so unless it was told to omit optional dependencies.\`,
  )
}
`

const replaced = (text: string, from: string, to: string): string => {
  if (text.split(from).length !== 2) throw new Error(`${library} does not contain once: ${from}`)
  return text.replace(from, to)
}

const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`

/**
 * Puts the library into the copy of the package that uses it, without the builds for all platforms and the sources in C.
 * Answers what to add to the package's manifest.
 */
export const bundleSqlite = async (copy: string, version: string) => {
  const { name, version: its, license, author } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
  const target = join(copy, 'node_modules', library)
  await mkdir(join(target, 'dist'), { recursive: true })
  const code = await readFile(join(installed, 'dist/index.mjs'), 'utf8')
  const ours = replaced(code, 'import nodeGypBuild from "node-gyp-build";', 'import nodeGypBuild from "./addon.cjs";')
  await writeFile(join(target, 'dist/index.mjs'), ours.replace(/^\/\/# sourceMappingURL=.*$/m, ''))
  await writeFile(join(target, 'dist/addon.cjs'), loader)
  await cp(join(installed, 'dist/index.d.ts'), join(target, 'dist/index.d.ts'))
  await cp(join(installed, 'LICENSE'), join(target, 'LICENSE'))
  const exports = {
    '.': { types: './dist/index.d.ts', default: './dist/index.mjs' },
    './package.json': './package.json',
  }
  await writeFile(join(target, 'package.json'), json({ name, version: its, license, author, exports }))
  const optional = (await addons()).map((addon) => [nameOf(addon), version])
  return {
    dependencies: { [library]: its },
    bundleDependencies: [library],
    optionalDependencies: Object.fromEntries(optional),
  }
}

/** A folder per platform, each with a package that npm installs on that platform only. Answers the folders. */
export const stagedAddons = async (
  version: string,
  repository: string | undefined,
  to: string,
): Promise<readonly string[]> =>
  Promise.all(
    (await addons()).map(async (addon) => {
      const name = nameOf(addon)
      const { os, cpu, libc, file } = addon
      const copy = join(to, name)
      await mkdir(copy, { recursive: true })
      await cp(file, join(copy, 'sqlite.node'))
      await cp(join(installed, 'LICENSE'), join(copy, 'LICENSE'))
      const { version: its } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8'))
      const what = `SQLite of ${library} ${its} for ${os} on ${cpu}${libc === 'musl' ? ' with musl' : ''}`
      await writeFile(
        join(copy, 'README.md'),
        `# ${name}\n\n${what}. @posthorn/adapters-sqlite installs it where it fits.\n`,
      )
      await writeFile(
        join(copy, 'package.json'),
        json({
          name,
          version,
          description: what,
          license: 'MIT',
          ...(repository !== undefined && { repository: { type: 'git', url: repository } }),
          main: './sqlite.node',
          files: ['sqlite.node'],
          os: [os],
          cpu: [cpu],
          ...(libc !== undefined && { libc: [libc] }),
        }),
      )
      return copy
    }),
  )
