import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const lock = fileURLToPath(new URL('../../package-lock.json', import.meta.url))
const empty = fileURLToPath(new URL('empty.cjs', import.meta.url))

/** The directory of the package that a bundled module belongs to. */
const packageOf = (module) => {
  let directory = dirname(module)
  for (;;) {
    const manifest = join(directory, 'package.json')
    if (existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version) return directory
    if (directory === dirname(directory)) return undefined
    directory = dirname(directory)
  }
}

const licenceOf = (directory) => {
  const name = readdirSync(directory).find((file) => /^licen[cs]e/i.test(file))
  return name === undefined ? undefined : readFileSync(join(directory, name), 'utf8').trim()
}

/** What the bundle contains: `packages.json` for the bill of materials, `LICENSES.txt` because the licences demand it. */
const writeContents = (out, modules) => {
  const directories = new Set(modules.filter((path) => path.includes('/node_modules/')).map(packageOf))
  const packages = [...directories]
    .filter((directory) => directory !== undefined)
    .map((directory) => {
      const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'))
      return { name, version, license, text: licenceOf(directory) ?? `Licence: ${license}` }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  const listed = packages.map(({ name, version, license }) => ({ name, version, license }))
  writeFileSync(join(out, 'packages.json'), `${JSON.stringify(listed, undefined, 2)}\n`)
  const texts = packages.map(({ name, version, text }) => `${name} ${version}\n\n${text}\n`)
  writeFileSync(join(out, 'LICENSES.txt'), texts.join(`\n${'-'.repeat(80)}\n\n`))
}

const digestOf = (files) => {
  const hash = createHash('sha256').update(process.version)
  for (const file of files) hash.update(existsSync(file) ? readFileSync(file) : '')
  return hash.digest('hex')
}

/**
 * Writes the part of libraries that a package uses into its `dist`, so that an installation does not include the
 * libraries and all that they depend on. Does nothing if nothing has changed since.
 * @param inputs modules by the name of their file in `out`
 * @param left packages that stay imports
 * @param without modules that no path of ours reaches; they become empty
 */
export const bundle = async ({ build: script, out, inputs, left = [], alias = {}, without = [] }) => {
  const stamp = join(out, '.built')
  const outputs = Object.keys(inputs).map((name) => join(out, `${name}.js`))
  /** The compiler may have written one of the outputs again. */
  const state = () => digestOf([lock, script, fileURLToPath(import.meta.url), ...Object.values(inputs), ...outputs])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state()) return
  const { build } = await import('vite')
  const modules = []
  await build({
    configFile: false,
    root: dirname(script),
    logLevel: 'warn',
    plugins: [
      {
        name: 'contents',
        generateBundle: (_options, files) => {
          for (const file of Object.values(files)) if (file.type === 'chunk') modules.push(...Object.keys(file.modules))
        },
      },
    ],
    resolve: { alias: { ...Object.fromEntries(without.map((name) => [name, empty])), ...alias } },
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      outDir: out,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      rollupOptions: {
        input: inputs,
        external: left.map((name) => new RegExp(`^${name}(?:/|$)`)),
        output: { entryFileNames: '[name].js', chunkFileNames: 'shared/[name].js' },
      },
    },
  })
  writeContents(out, modules)
  writeFileSync(stamp, state())
}
