import { readFileSync } from 'node:fs'
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

describe('the front doors', () => {
  it('export nothing by the handful', () => {
    for (const door of ['index.ts', 'ports.ts', 'templates.ts']) expect(source(door)).not.toContain('export *')
  })
})
