import { idempotentRequestLeaseTime } from '@posthorn/core/ports/transport'
import { inMemoryFiles } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument, routes } from '../src/index.js'
import { takesIdempotencyKey } from '../src/route.js'
import { imageForm } from './image-form.js'
import { aWorld, type World } from './world.js'

let world: World
let [transactionalId, triggeredId] = ['', '']
beforeAll(async () => {
  world = await aWorld()
  const shared = { subject: 'Hello', type: 'text', document: 'Hello' }
  transactionalId = (await world.call('createTransactionalEmail', { body: { name: 'T', ...shared } })).result._id
  triggeredId = (
    await world.call('createTriggeredEmail', {
      body: { name: 'G', subscriberListId: world.project.list._id, ...shared },
    })
  ).result._id
  await world.project.subscribe(3)
})
afterAll(() => world.client.close())

let keys = 0
const aKey = () => {
  keys += 1
  return { 'Idempotency-Key': `order ${keys}` }
}
const mailed = async () => {
  await world.core.worker.runUntilIdle()
  return world.mailer.sent.length
}
const replayed = ({ headers }: { headers: Headers }) => headers.get('Idempotency-Replayed')

describe('a send', () => {
  it('returns the id of its dispatch, and of its delivery if there is one address', async () => {
    const one = await world.call('sendTransactional', { body: { email: 'A@example.com', transactionalId } })
    expect(one.result.deliveryId).toBe(`${one.result.dispatchId}:a@example.com`)
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.at(-1)?.deliveryId).toBe(one.result.deliveryId)

    const emails = ['reader2@example.com']
    const named = await world.call('sendTriggered', { body: { triggeredId, emails } })
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.at(-1)?.deliveryId).toBe(named.result.deliveryId)

    const all = await world.call('sendTriggered', { body: { triggeredId } })
    expect(Object.keys(all.result).sort()).toEqual(['accepted', 'dispatchId', 'excluded', 'success'])
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.at(-1)?.deliveryId).toContain(all.result.dispatchId)

    const body = { type: 'transactional', email: 'a@example.com' }
    const test = await world.call('sendTestEmail', { params: { id: transactionalId }, body })
    expect(test.result.deliveryId).toBe(`${test.result.dispatchId}:a@example.com`)
    await world.core.worker.runUntilIdle()
  })

  it('sends once per key, and returns the same response again', async () => {
    const asked = { body: { email: 'once@example.com', transactionalId }, headers: aKey() }
    const before = await mailed()
    const [first, again] = [await world.call('sendTransactional', asked), await world.call('sendTransactional', asked)]
    expect(again.result).toEqual(first.result)
    expect([replayed(first), replayed(again)]).toEqual([null, 'true'])
    expect(await mailed()).toBe(before + 1)
  })

  it('is refused if the key was used with another body or path', async () => {
    const headers = aKey()
    await world.call('sendTransactional', { body: { email: 'one@example.com', transactionalId }, headers })
    const another = { body: { email: 'two@example.com', transactionalId }, headers }
    expect(await world.call('sendTransactional', another)).toMatchObject({ status: 409, error: { name: 'CONFLICT' } })
    const elsewhere = { body: { email: 'one@example.com', transactionalId }, headers }
    expect(await world.call('sendTransactionalByEmail', elsewhere)).toMatchObject({ status: 409 })
  })

  it('returns 409 while the first request is still running', async () => {
    const { contents } = world.ports.repositories
    const headers = aKey()
    const fresh = await world.call('createTransactionalEmail', {
      body: { name: 'Slow', subject: 'Slow', type: 'text', document: 'Slow' },
    })
    const asked = { body: { email: 'slow@example.com', transactionalId: fresh.result._id }, headers }
    let finish = () => {}
    const quick = { ...contents }
    contents.add = async (record) => {
      await new Promise<void>((resolve) => (finish = resolve))
      return quick.add(record)
    }
    const first = world.call('sendTransactional', asked)
    await expect.poll(async () => (await world.call('sendTransactional', asked)).status).toBe(409)
    const waiting = await world.call('sendTransactional', asked)
    expect(Number(waiting.headers.get('Retry-After'))).toBeGreaterThan(0)
    Object.assign(contents, quick)
    finish()
    expect((await world.call('sendTransactional', asked)).status === 200 || (await first).status === 200).toBe(true)
  })

  it('is not repeated if the process died before it stored the response', async () => {
    const { idempotentRequests } = world.ports.repositories
    const alive = { ...idempotentRequests }
    const asked = { body: { email: 'crash@example.com', transactionalId }, headers: aKey() }
    const before = await mailed()
    idempotentRequests.change = () => Promise.reject(new Error('the process is gone'))
    const first = await world.call('sendTransactional', asked)
    Object.assign(idempotentRequests, alive)
    expect((await world.call('sendTransactional', asked)).status).toBe(409)
    await world.clock.pass(idempotentRequestLeaseTime)
    const again = await world.call('sendTransactional', asked)
    expect([again.result, replayed(again)]).toEqual([first.result, 'true'])
    expect(await mailed()).toBe(before + 1)
  })

  it('with an invalid key is rejected', async () => {
    const body = { email: 'one@example.com', transactionalId }
    const headers = { 'Idempotency-Key': 'x'.repeat(256) }
    expect(await world.call('sendTransactional', { body, headers })).toMatchObject({ status: 400 })
  })
})

describe('any other POST', () => {
  it('creates one record per key', async () => {
    const asked = { body: { name: 'Once' }, headers: aKey() }
    const [first, again] = [
      await world.call('createSubscriberList', asked),
      await world.call('createSubscriberList', asked),
    ]
    expect([again.status, again.result, replayed(again)]).toEqual([201, first.result, 'true'])
  })

  it('returns the record again if its response was too large to store', async () => {
    const document = 'x'.repeat(50_000)
    const asked = { body: { name: 'Large', subject: 'Large', type: 'text', document }, headers: aKey() }
    const first = await world.call('createTransactionalEmail', asked)
    const again = await world.call('createTransactionalEmail', asked)
    expect([again.result, replayed(again)]).toEqual([first.result, 'true'])
  })

  it('recognises a multipart form by its fields and file', async () => {
    const headers = aKey()
    const upload = (name: string) => world.call('uploadGalleryImage', { body: imageForm({ name }), headers })
    const [first, again] = [await upload('One'), await upload('One')]
    expect([again.result, replayed(again)]).toEqual([first.result, 'true'])
    expect((await upload('Two')).status).toBe(409)
  })

  it('recognises an uploaded file of contacts by its name and bytes, and keeps no second one', async () => {
    const files = inMemoryFiles()
    const other = await aWorld({ files })
    const headers = aKey()
    const upload = (bytes: string, filename = 'people.csv') =>
      other.call('uploadImport', { body: imageForm({}, { part: 'file', filename, bytes }), headers })
    const [first, again] = [await upload('email\n'), await upload('email\n')]
    expect([again.result, replayed(again)]).toEqual([first.result, 'true'])
    expect((await upload('email,name\n')).status).toBe(409)
    expect((await upload('email\n', 'others.csv')).status).toBe(409)
    expect(files.keys()).toHaveLength(1)
    const start = () =>
      other.call('startImport', {
        params: { id: first.result._id },
        body: { columns: [{ field: 'email' }], consent: 'c' },
        headers: { 'idempotency-key': 'start' },
      })
    const started = await start()
    expect(started.status).toBe(200)
    expect((await start()).result).toEqual(started.result)
    await other.client.close()
  })
})

it('OpenAPI documents the header at every POST of a project and nowhere else', () => {
  const { paths } = openApiDocument(routes) as { paths: Record<string, Record<string, { parameters?: object[] }>> }
  const names = (row: (typeof routes)[number]) =>
    (paths[row.path]?.[row.method]?.parameters ?? []).filter((one) => 'in' in one && one.in === 'header')
  const differing = routes.filter((row) => names(row).length !== (takesIdempotencyKey(row) ? 1 : 0))
  expect(differing.map(({ id }) => id)).toEqual([])
  expect(routes.filter(takesIdempotencyKey).length).toBeGreaterThan(20)
})
