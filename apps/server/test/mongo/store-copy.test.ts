import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inMemoryStore } from '@posthorn/testkit'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { dropDatabase, withDatabase } from '../../../../packages/adapters-mongo/test/databases.js'
import { databaseUrl, onMongoDB } from '../../../../packages/adapters-mongo/test/on-mongodb.js'
import { runCommand, startCommand, temporaryDirectory, until } from '../../../../tests/server-process.js'
import { openStore } from '../../src/store.js'
import { copyingSuite } from '../copying/copying-suite.js'
import { startProxy } from './relay.js'

const data = temporaryDirectory()
afterAll(() => data.remove())
const nowhere = { database: '', files: '' }
const quiet = () => {}

const onMongo = async () => {
  const url = databaseUrl()
  const { close, ...store } = await openStore({ store: 'mongodb', mongodbUrl: url }, nowhere, quiet)
  return {
    ...store,
    close: async () => {
      await close()
      await dropDatabase(url)
    },
  }
}

let made = 0
const onSqlite = () => {
  made += 1
  const place = join(data.path, String(made))
  const files = { database: join(place, 'posthorn.db'), files: join(place, 'files') }
  return openStore({ store: 'sqlite', mongodbUrl: undefined }, files, quiet)
}

onMongoDB('copying', () => {
  copyingSuite('from SQLite to MongoDB', async () => [await onSqlite(), await onMongo()])
  copyingSuite('from MongoDB to memory', async () => [await onMongo(), inMemoryStore()])
})

onMongoDB('posthorn store copy', () => {
  let url = ''
  beforeEach(() => {
    url = databaseUrl()
  })
  afterEach(() => dropDatabase(url))
  const place = join(data.path, 'cli')
  const command = (...args: readonly string[]) => runCommand(args, { POSTHORN_DATA_DIR: place })
  const json = async (...args: readonly string[]) => JSON.parse((await command(...args, '--json')).stdout)
  const from = `sqlite:${place}`

  it('continues after being killed, shows its progress, and verifies the copy', async () => {
    await command('store', 'create')
    const account = (await json('account', 'create', 'Acme'))._id
    const project = (await json('project', 'create', account, 'Shop'))._id
    const people = join(data.path, 'people.csv')
    writeFileSync(people, `email\n${Array.from({ length: 6_000 }, (_, n) => `person${n}@example.com`).join('\n')}\n`)
    await command('contacts', 'import', people)
    const contacts = () => withDatabase(url, ({ db }) => db.collection('contacts').countDocuments())
    // All of them are far more, so that there is a middle however late this process gets to look.
    const { hostname, port, pathname } = new URL(url)
    const proxy = await startProxy(hostname, Number(port), 1_000_000)
    const halting = `mongodb://127.0.0.1:${proxy.port}${pathname}?directConnection=true`
    const killed = startCommand(['store', 'copy', '--from', from, '--to', halting], {})
    await until(async () => (await contacts()) > 500)
    killed.child.kill('SIGKILL')
    await killed.ended
    await proxy.close()
    expect(await contacts()).toBeLessThan(6_000)
    const { code, stdout, stderr } = await command('store', 'copy', '--from', from, '--to', url)
    expect(code).toBe(0)
    expect(stderr).toMatch(/^Copying +\d+ % {2}\d+ of 12\d{3}\n[\s\S]*Copying 100 %/)
    expect(stderr).toContain('as POSTHORN_SECRET')
    expect(stdout).toMatch(new RegExp(`${project}  Shop +6\\d{3} copied and compared`))
    expect(await contacts()).toBe(6_000)
    const again = await json('store', 'copy', '--from', from, '--to', url, '--project', project)
    expect(again).toMatchObject([{ of: 'account' }, { of: 'project', id: project }])
    expect(again.every((one: object) => !('verified' in one))).toBe(true)
  })

  it('reports errors, and creates nothing', async () => {
    const nothing = join(data.path, 'nothing')
    expect(await command('store', 'copy', '--from', `sqlite:${nothing}`, '--to', url)).toMatchObject({
      code: 2,
      stderr: `error: --from: there is no database ${join(nothing, 'posthorn.db')}\n`,
    })
    expect(existsSync(nothing)).toBe(false)
    expect(await command('store', 'copy', '--from', from, '--to', from)).toMatchObject({ code: 2 })
    expect(await command('store', 'copy', '--from', 'postgres://x', '--to', url)).toMatchObject({ code: 2 })
    const { code, stderr } = await command('store', 'copy', '--from', from, '--to', 'mongodb://a:hunter2@127.0.0.1:1/x')
    expect([code, stderr.includes('hunter2'), stderr.includes('cannot be opened')]).toEqual([1, false, true])
  })
})
