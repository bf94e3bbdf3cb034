import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Permission, permissions, rolePermissions } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { commandLineProgram } from '../src/cli/command-line.js'
import { configVariables } from '../src/variables.js'

const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const below = (folder: string) =>
  readdirSync(join(checkout, folder), { recursive: true })
    .map(String)
    .filter((path) => !/(?:^|\/)(?:node_modules|dist)\//.test(path))
    .map((path) => join(folder, path))
const documents = [...below('docs'), 'README.md', 'packages/core/src/sending/README.md'].filter((path) =>
  path.endsWith('.md'),
)
const files = new Set([
  ...readdirSync(checkout),
  ...['apps', 'packages', 'deploy', 'docs', 'tests', 'scripts'].flatMap(below),
])
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

  it('has no merge conflict marks', () => {
    expect(text.match(/^(?:<{7}|>{7}|={7}$).*/gm)).toBeNull()
  })

  it('has no dead links', () => {
    const dead = [...text.matchAll(/\]\((?!http)([^)\s#]*)(?:#([^)\s]+))?\)/g)].filter(([, to = '', heading]) => {
      const target = to === '' ? path : normalize(join(dirname(path), to))
      if (!to.endsWith('/') && !files.has(target)) return true
      return heading !== undefined && target.endsWith('.md') && !anchors(target).includes(heading)
    })
    expect(dead.map(([link]) => link)).toEqual([])
  })

  it('names only source files and variables that exist', () => {
    const named = [...text.matchAll(/`[\w./-]*?([\w.-]+\.(?:ts|js))`/g)].map(([, name = '']) => name)
    expect(named.filter((name) => !names.has(name))).toEqual([])
    const set = [...text.matchAll(/POSTHORN_[A-Z0-9_]*[A-Z]/g)].map(([name]) => name)
    expect(set.filter((name) => !(name in configVariables))).toEqual([])
  })
})

describe('the commands of the documents', () => {
  const commands = documents
    .flatMap((path) => [...read(path).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block))
    .flatMap((block) => block.split('\n').filter((line) => /^(?:npm run|export TARGET)/.test(line)))
  const written = commands.flatMap((line) => [...line.matchAll(/[ :]\.\/([\w-]+)/g)].map(([, name = '']) => name))

  it('write only what git ignores into the clone', () => {
    const ignored = read('.gitignore').split('\n')
    expect(written).toContain('backups')
    expect([...new Set(written)].filter((name) => !ignored.includes(`/${name}/`))).toEqual([])
  })
})

describe('docs/troubleshooting.md', () => {
  const sources = [...files]
    .filter((path) => /^(?:apps|packages)\/[^/]+\/src\/.*\.ts$/.test(path))
    .map(read)
    .join('\n')
    .replaceAll("\\'", "'")
  const cells = [...read('docs/troubleshooting.md').matchAll(/^\| (.*) \|$/gm)].flatMap(([, row = '']) =>
    row.split(' | ').slice(0, -1),
  )
  const messages = cells.flatMap((cell) => [...cell.matchAll(/`([^`]* [^`]*)`/g)].map(([, message = '']) => message))

  it('quotes messages', () => {
    expect(messages.length).toBeGreaterThan(20)
  })

  it.each(messages)('quotes a message as it is printed: %s', (message) => {
    // Reasons come from elsewhere, and messages are put together of clauses.
    const foreign = /^EACCES$|^permission denied$/
    const parts = message.split(/…|: ?|[.,] |[().,]+$|\(/).map((part) => part.trim().replace(/[.)]+$/, ''))
    expect(parts.filter((part) => part.length > 3 && !foreign.test(part) && !sources.includes(part))).toEqual([])
  })
})

describe('docs/people.md', () => {
  const rows = [...read('docs/people.md').matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '))

  it('has the roles and permissions of the code', () => {
    const [, , ...roles] = rows.find(([first]) => first === 'Permission') ?? []
    expect(roles).toEqual(Object.keys(rolePermissions).sort((a, b) => roles.indexOf(a) - roles.indexOf(b)))
    const shown = rows.filter(([first = '']) => /^`\w+\.\w+`$/.test(first))
    expect(shown.map(([first = '']) => first.slice(1, -1))).toEqual(permissions)
    for (const [first = '', , ...marks] of shown) {
      const permission = first.slice(1, -1) as Permission
      const granted = Object.entries(rolePermissions).flatMap(([role, held]) =>
        (held as readonly Permission[]).includes(permission) ? [role] : [],
      )
      expect([permission, roles.filter((_, at) => marks[at]?.trim() === 'yes').sort()]).toEqual([
        permission,
        granted.sort(),
      ])
    }
  })

  it('has the commands of posthorn person', async () => {
    const person = (await commandLineProgram()).commands.find((one) => one.name() === 'person')
    const shown = rows.flatMap(([first = '']) => /^`posthorn person (\w+)/.exec(first)?.[1] ?? [])
    expect(shown.sort()).toEqual(
      person?.commands
        .map((one) => one.name())
        .filter((one) => one !== 'help')
        .sort(),
    )
  })
})
