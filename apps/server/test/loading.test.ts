import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const source = new URL('../src/', import.meta.url)

/** The packages whose modules are loaded with a file of the server, before anything is asked of it. */
const loadedWith = (file: string): readonly string[] => {
  const [seen, packages] = [new Set<string>(), new Set<string>()]
  const follow = (url: URL) => {
    if (seen.has(url.href)) return
    seen.add(url.href)
    const text = readFileSync(url, 'utf8')
    for (const [, names = '', from = ''] of text.matchAll(/^import ([^']*from )?'([^']+)'/gm)) {
      const isType = names.startsWith('type ') || /^\{(?:\s*type \w+,?)+\s*\} from $/.test(names)
      if (isType || from.startsWith('node:')) continue
      if (from.startsWith('.')) follow(new URL(from.replace(/\.js$/, '.ts'), url))
      else packages.add(from)
    }
  }
  follow(new URL(file, source))
  return [...packages].toSorted()
}

describe('the modules loaded', () => {
  it('are only the argument parser until a command is named', () => {
    expect(loadedWith('cli/main.ts')).toEqual(['commander'])
  })

  it.each(
    readFileSync(new URL('cli/command-line.ts', source), 'utf8')
      .match(/(?<=import\('\.\/)[\w-]+/g)
      ?.map((name) => [name]) ?? [],
  )('include no store, API or container for the help of %s', (name) => {
    const allowed = /^(@posthorn\/core(\/ports\/\w+)?|commander|zod)$/
    expect(loadedWith(`cli/${name}.ts`).filter((one) => !allowed.test(one))).toEqual([])
  })

  it('for a command are the core and one store, without container, API or scheduler', () => {
    const loaded = loadedWith('cli/open-command-context.ts')
    expect(loaded.filter((one) => /inversify|reflect-metadata|express|agenda|testkit|mongo|sqlite/.test(one))).toEqual(
      [],
    )
    for (const name of ['adapters-node/src/index.ts', 'adapters-sqlite/src/index.ts'])
      expect(loadedWith(`../../../packages/${name}`)).not.toContain('agenda')
  })

  it('for a server’s help are none', () => {
    expect(loadedWith('main.ts')).toEqual([])
  })

  it('for a server include no store before the configuration is read', () => {
    const loaded = loadedWith('start.ts')
    expect(loaded).toContain('@posthorn/core')
    expect(
      loaded.filter((one) => /adapters-(mongo|ses(?!\/thread$)|sqlite)|testkit|http-express(?!\/metrics$)/.test(one)),
    ).toEqual([])
  })
})
