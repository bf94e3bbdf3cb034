import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { circles, climbs, edgesBelow, orderIn } from './folder-order.js'

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

/** A tree of files with these texts. */
const tree = (files: Readonly<Record<string, string>>): string => {
  const root = mkdtempSync(join(tmpdir(), 'folders-'))
  roots.push(root)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const order = ['kernel', 'contacts', 'sending/ledger', 'core.ts']

describe('the folder order', () => {
  it('is kept by imports of earlier folders', () => {
    const root = tree({
      'kernel/a.ts': '',
      'contacts/b.ts': "import { a } from '../kernel/a.js'",
      'sending/ledger/c.ts': "export type { B } from '../../contacts/b.js'\nimport './d.js'",
      'sending/ledger/d.ts': '',
      'core.ts': "import {\n  c,\n} from './sending/ledger/c.js'",
    })
    expect(climbs(edgesBelow(root), order)).toEqual([])
  })

  it.each([
    ['a type', "import type { B } from '../contacts/b.js'"],
    ['a value', "import { b } from '../contacts/b.js'"],
    ['a type in place', "type B = import('../contacts/b.js').B"],
    ['a re-export', "export * from '../contacts/b.js'"],
  ])('is broken by %s of a later folder', (_, text) => {
    const root = tree({ 'kernel/a.ts': text, 'contacts/b.ts': '' })
    expect(climbs(edgesBelow(root), order)).toEqual([
      'kernel/a.ts imports contacts/b.ts: kernel stands before contacts',
    ])
  })

  it('requires every folder to be listed', () => {
    const root = tree({ 'events/e.ts': "import '../kernel/a.js'", 'kernel/a.ts': '' })
    expect(climbs(edgesBelow(root), order)).toEqual(['events is not on the list'])
  })

  it('is read from the numbered list under its heading', () => {
    const text =
      '# A\n\n## Map\n\nWords.\n\n1. `kernel` – ids\n2. `sending/ledger` – rows\n\n## Rules\n\n1. `not` this\n'
    expect(orderIn(text, 'Map')).toEqual(['kernel', 'sending/ledger'])
  })
})

describe('a folder cycle', () => {
  it('is found even if types close it', () => {
    const root = tree({
      'a/x.ts': "import type { Y } from '../b/y.js'",
      'b/y.ts': "import { z } from '../c/z.js'",
      'c/z.ts': "import type { X } from '../a/x.js'",
      'd/w.ts': "import '../a/x.js'",
    })
    expect(circles(edgesBelow(root))).toEqual(['a → b → c → a'])
  })

  it('is not formed by files of one folder', () => {
    expect(circles(edgesBelow(tree({ 'a/x.ts': "import './y.js'", 'a/y.ts': "import './x.js'" })))).toEqual([])
  })
})

describe('the core', () => {
  it('keeps CONTRIBUTING’s folder order', () => {
    const map = orderIn(readFileSync('CONTRIBUTING.md', 'utf8'), 'The map of the core')
    expect(climbs(edgesBelow('packages/core/src'), map)).toEqual([])
  })

  it('would break it with an import of campaigns in the kernel', () => {
    const map = orderIn(readFileSync('CONTRIBUTING.md', 'utf8'), 'The map of the core')
    const climbing = { from: 'kernel/scope.ts', to: 'campaigns/campaign.ts' }
    expect(climbs([...edgesBelow('packages/core/src'), climbing], map)).toHaveLength(1)
  })
})
