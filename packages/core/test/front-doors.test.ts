import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'

const source = (path: string) => readFileSync(new URL(`../src/${path}`, import.meta.url), 'utf8')

/** The names that a front door exports, each with the file that declares it. */
const exportsOf = (door: string) =>
  [...source(door).matchAll(/export (?:type )?\{([^}]*)\} from '\.\/([^']+)\.js'/g)].flatMap(([, names = '', file]) =>
    names
      .split(',')
      .map((name) => name.trim().replace('type ', ''))
      .filter((name) => name !== '')
      .map((name) => ({ name, file: `${file}.ts` })),
  )

const isDescribed = ({ name, file }: { readonly name: string; readonly file: string }) =>
  new RegExp(`\\*/\\nexport (?:const|type|interface|class) ${name}\\b`).test(source(file))

describe('the front door of who embeds Posthorn', () => {
  it('has no more than 80 names', () => {
    expect(exportsOf('index.ts').length).toBeGreaterThan(40)
    expect(exportsOf('index.ts').length).toBeLessThanOrEqual(80)
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

describe('the front door of what renders beside the rest', () => {
  it('loads a fraction of the core, and zod not at all', () => {
    const loaded = loadedWith('rendering.ts')
    expect([...loaded].filter((one) => !one.endsWith('.ts'))).toEqual(['handlebars'])
    expect(loaded.size).toBeLessThan(60)
    expect(loadedWith('ports.ts').size).toBeGreaterThan(150)
  })

  it('exports nothing that the entry point for adapters lacks', () => {
    const ports = new Set(exportsOf('ports.ts').map(({ name }) => name))
    const own = exportsOf('rendering.ts').filter(({ name }) => !ports.has(name))
    expect(own).toEqual([])
  })
})

describe('the front doors', () => {
  it('export nothing by the handful', () => {
    for (const door of ['index.ts', 'ports.ts', 'rendering.ts']) expect(source(door)).not.toContain('export *')
  })
})
