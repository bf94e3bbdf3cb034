import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

/**
 * Builds the console into the files of @posthorn/http-express, which serves and publishes them, compressed as well. Does nothing if its inputs have not changed
 * since the last build.
 */

const here = fileURLToPath(new URL('.', import.meta.url))
const out = join(here, '../http-express/dist/console-files')
/** Beside the other packages' output, so that a checkout without `dist` counts as not built. */
const stamp = join(here, 'dist/.built')

const filesBelow = (path) =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()

const inputs = [
  join(here, 'build.js'),
  join(here, 'package.json'),
  join(here, '../../package-lock.json'),
  ...filesBelow(join(here, 'src')),
  ...filesBelow(join(here, '../client/src')),
  ...filesBelow(join(here, 'public')),
]

const stateOf = () => {
  const hash = createHash('sha256').update(process.version)
  for (const file of inputs) hash.update(file).update('\0').update(readFileSync(file)).update('\0')
  return hash.digest('hex')
}

/** The languages of the interface; React Aria's own texts are bundled in these only. */
const locales = ['en-US', 'de-DE', 'fr-FR', 'es-ES', 'it-IT', 'nl-NL', 'pt-BR', 'pt-PT', 'pl-PL']

const options = async () => {
  const [{ default: react }, { default: optimizeLocales }] = await Promise.all([
    import('@vitejs/plugin-react'),
    import('@react-aria/optimize-locales-plugin'),
  ])
  return {
    configFile: false,
    root: here,
    logLevel: 'warn',
    // Relative, so that the files work below any mount path.
    base: './',
    plugins: [{ ...optimizeLocales.vite({ locales }), enforce: 'pre' }, react()],
    build: {
      outDir: out,
      emptyOutDir: true,
      assetsInlineLimit: 0,
      manifest: 'manifest.json',
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 1_000,
      target: 'es2023',
      cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
      rollupOptions: { input: { console: join(here, 'src/main.tsx') } },
    },
  }
}

const state = stateOf()
const isCurrent = existsSync(join(out, 'manifest.json')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === state
if (!isCurrent) {
  rmSync(stamp, { force: true })
  // Another value, such as that of a test, gives React's development build, which contains paths of this machine.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  await build(await options())
  for (const file of filesBelow(join(out, 'assets')))
    if (/\.(css|js)$/.test(file)) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }))
  mkdirSync(join(here, 'dist'), { recursive: true })
  writeFileSync(stamp, state)
}
