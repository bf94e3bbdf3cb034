import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { variables } from '../src/variables.js'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const below = (folder: string) =>
  readdirSync(join(checkout, folder), { recursive: true })
    .map(String)
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .map((path) => join(folder, path))
const documents = [...below('docs'), 'README.md', 'packages/core/src/sending/README.md'].filter((path) =>
  path.endsWith('.md'),
)
const files = new Set(['apps', 'packages', 'docs', 'tests', 'scripts'].flatMap(below))
const names = new Set([...files].map((path) => basename(path)))
const read = (path: string) => readFileSync(join(checkout, path), 'utf8')

/** What a heading is linked by: its words in lower case, joined by hyphens. */
const anchors = (path: string) =>
  [...read(path).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  )

describe.each(documents)('%s', (path) => {
  const text = read(path)

  it('has no marks of an unresolved merge', () => {
    expect(text.match(/^(?:<{7}|>{7}|={7}$).*/gm)).toBeNull()
  })

  it('links to what is there', () => {
    const dead = [...text.matchAll(/\]\((?!http)([^)\s#]*)(?:#([^)\s]+))?\)/g)].filter(([, to = '', heading]) => {
      const target = to === '' ? path : normalize(join(dirname(path), to))
      if (!to.endsWith('/') && !files.has(target) && !['README.md', 'CONTRIBUTING.md', 'compose.yaml'].includes(target))
        return true
      return heading !== undefined && target.endsWith('.md') && !anchors(target).includes(heading)
    })
    expect(dead.map(([link]) => link)).toEqual([])
  })

  it('names source files and variables that exist', () => {
    const named = [...text.matchAll(/`[\w./-]*?([\w.-]+\.(?:ts|js))`/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !names.has(name))).toEqual([])
    const set = [...text.matchAll(/POSTHORN_[A-Z_]*[A-Z]/g)].map(([name]) => name)
    expect(set.filter((name) => !(name in variables))).toEqual([])
  })
})
