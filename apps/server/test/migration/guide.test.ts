import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsIn, inJson } from '../terminal.js'
import { exportPlace, exportsDirectory } from './migrations.js'

const guide = readFileSync(new URL('../../../../docs/migrating.md', import.meta.url), 'utf8')
const commands = [...guide.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, text = '']) => text.trim().split('\n'))

const place = exportPlace()
afterAll(() => place.remove())
const data = join(place.path, 'data')
const run = commandsIn(data)

let project = ''
beforeAll(async () => {
  const json = inJson(run)
  await run('store', 'create')
  const { _id: account } = await json('account', 'create', 'Acme')
  project = (await json('project', 'create', account, 'Shop'))._id
})

/** Exports that the guide calls like kept ones; listmonk's are single files. */
const exportNamed = (name: string) => (name.includes('.') ? join(place.copy('listmonk'), name) : place.copy(name))

describe('the guide to migrations', () => {
  it('has commands for each system', () => {
    expect(commands.length).toBeGreaterThan(5)
  })

  it.each(commands)('shows a command that works: %s', async (line) => {
    const [system = '', name = '', ...options] = line.replace(/^npm run posthorn -- migrate-from /, '').split(' ')
    const words = options.map((word) => word.replace('$PROJECT', project))
    const { code, stdout } = await run('migrate-from', system, exportNamed(name), ...words)
    expect([code, stdout]).toEqual([0, expect.stringContaining('Contacts\n')])
  })

  it('names the tables that the kept dump has', () => {
    const dump = readFileSync(join(exportsDirectory, 'listmonk', 'listmonk.sql'), 'utf8')
    const named = new Set([...(/^pg_dump .*$/m.exec(guide)?.[0].matchAll(/-t (\w+)/g) ?? [])].map(([, table]) => table))
    expect(new Set([...dump.matchAll(/^COPY public\.(\w+)/gm)].map(([, table]) => table))).toEqual(named)
  })
})
