import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = (path: string) => readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8')

/** The names that an entry point exports, each with the file that declares it. */
const exportsOf = (entry: string) =>
  [...source(entry).matchAll(/export (?:type )?\{([^}]*)\} from '\.{1,2}\/([^']+)\.js'/g)].flatMap(
    ([, names = '', file]) =>
      names
        .split(',')
        .map((name) => name.trim().replace('type ', ''))
        .filter((name) => name !== '')
        .map((name) => ({ name, file: `${file}.ts` })),
  )

const isDescribed = ({ name, file }: { readonly name: string; readonly file: string }) =>
  new RegExp(`\\*/\\nexport (?:const|type|interface|class) ${name}\\b`).test(source(file))

const portEntries = ['ports/storage.ts', 'ports/transport.ts', 'ports/runtime.ts']

describe('the entry point of applications that embed Posthorn', () => {
  it('has at most 90 names', () => {
    expect(exportsOf('index.ts').length).toBeGreaterThan(40)
    expect(exportsOf('index.ts').length).toBeLessThanOrEqual(90)
  })

  it('describes each of them', () => {
    expect(exportsOf('index.ts').filter((one) => !isDescribed(one))).toEqual([])
  })
})

/** What is loaded with a file, by its path or the name of its package. Imports of types alone are not there when it runs. */
const loadedWith = (path: string, known = new Set<string>()): ReadonlySet<string> => {
  if (known.has(path)) return known
  known.add(path)
  for (const [, named = '', from = ''] of source(path).matchAll(/^(?:import|export) ([^']*?)from '([^']+)'$/gm)) {
    if (named.startsWith('type ')) continue
    if (from.startsWith('.')) loadedWith(posix.join(posix.dirname(path), from).replace(/js$/, 'ts'), known)
    else known.add(from)
  }
  return known
}

describe('the entry point of rendering threads', () => {
  it('loads a fraction of the core, and zod not at all', () => {
    const loaded = loadedWith('rendering.ts')
    expect([...loaded].filter((one) => !one.endsWith('.ts'))).toEqual(['handlebars'])
    expect(loaded.size).toBeLessThan(60)
    expect(loadedWith('ports/transport.ts').size).toBeGreaterThan(100)
  })

  it('exports two names that the entry points of adapters lack', () => {
    const ports = new Set(portEntries.flatMap((entry) => exportsOf(entry)).map(({ name }) => name))
    const own = exportsOf('rendering.ts').filter(({ name }) => !ports.has(name))
    expect(own.map(({ name }) => name)).toEqual(['valueMemoryBytes', 'unconfirmedTransmissionsIn'])
  })
})

describe('the entry points of adapters', () => {
  it('export each name once', () => {
    const names = portEntries.flatMap((entry) => exportsOf(entry)).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(300)
    expect(names).toHaveLength(new Set(names).size)
  })
})

describe('all entry points', () => {
  it('name each export', () => {
    for (const entry of ['index.ts', 'rendering.ts', ...portEntries]) expect(source(entry)).not.toContain('export *')
  })
})
