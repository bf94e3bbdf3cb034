import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { sampleProject } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BodyBudget, bodyBudget } from '../../src/index.js'
import { aWorld, type World } from '../world.js'

const kilobyte = 1024
/** A quarter of the whole is kept for small bodies. */
const limits = { total: 1600 * kilobyte, share: 600 * kilobyte, wait: 50, window: 60_000, bytesInWindow: 1 }

let world: World
let budget: BodyBudget
let open: ClientRequest[] = []
const start = async (options: Partial<typeof limits> = {}) => {
  budget = bodyBudget({ ...limits, ...options })
  world = await aWorld({ bodyBudget: budget, maxUpload: 500 * kilobyte })
}
beforeEach(() => start())
afterEach(async () => {
  for (const one of open) one.destroy()
  open = []
  await world.client.close()
})

type Who = { readonly _id: string; readonly key: string }
const owner = (): Who => ({ _id: world.project.project._id, key: world.project.key })

const email = JSON.stringify({ name: 'n', subject: 's' })
/** An email with a long text, which the endpoint takes or refuses whole. */
const padded = (bytes: number) => JSON.stringify({ name: 'n', subject: 's', html: 'x'.repeat(bytes) })

/** Begins to send a body. */
const begin = (headers: Readonly<Record<string, string | number>>, who = owner()) => {
  const one = request(`${world.client.base}/v1/projectId/${who._id}/transactional-emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${who.key}`, 'content-type': 'application/json', ...headers },
  })
  one.on('error', () => undefined)
  open.push(one)
  one.flushHeaders()
  return one
}
const answerOf = async (one: ClientRequest) => {
  const [response] = (await once(one, 'response')) as [IncomingMessage]
  response.resume()
  return { status: response.statusCode, retryAfter: response.headers['retry-after'] }
}
/** Sends the beginning of a body of that length, and no more. */
const hold = (bytes: number, who?: Who) => {
  const one = begin({ 'content-length': bytes }, who)
  one.write(email.slice(0, 5))
  return one
}
const until = async (holds: () => boolean) => {
  while (!holds()) await pause(5)
}

describe('bodies that arrive at the same time', () => {
  it('hold at most their project’s share; further ones get 429', async () => {
    const answers: Awaited<ReturnType<typeof answerOf>>[] = []
    for (let n = 0; n < 40; n += 1)
      void answerOf(hold(100 * kilobyte)).then(
        (answer) => answers.push(answer),
        () => undefined,
      )
    await until(() => answers.length === 34)
    expect(answers).toEqual(Array.from({ length: 34 }, () => ({ status: 429, retryAfter: '5' })))
    expect(budget.held()).toBe(600 * kilobyte)
  })

  it('are charged before they are read', async () => {
    begin({ 'content-length': 300 * kilobyte })
    await until(() => budget.held() > 0)
    expect(budget.held()).toBe(300 * kilobyte)
  })

  it('without a length are charged as they arrive', async () => {
    hold(550 * kilobyte)
    const one = begin({ 'transfer-encoding': 'chunked' })
    one.write(' '.repeat(20 * kilobyte))
    await until(() => budget.held() === 570 * kilobyte)
    one.write(' '.repeat(90 * kilobyte))
    expect(await answerOf(one)).toMatchObject({ status: 429 })
    await until(() => budget.held() === 550 * kilobyte)
  })

  it('that are compressed are charged their largest possible size', async () => {
    const packed = gzipSync(padded(1000))
    const one = begin({ 'content-encoding': 'gzip', 'content-length': packed.length })
    one.write(packed.subarray(0, 10))
    expect(await answerOf(one)).toMatchObject({ status: 429 })
  })

  it('leave other accounts their share, and small bodies of all accounts some room', async () => {
    const second = await sampleProject(world.core, { name: 'Second' })
    const third = await sampleProject(world.core, { name: 'Third' })
    for (const { project, key } of [world.project, second]) hold(600 * kilobyte, { _id: project._id, key })
    await until(() => budget.held() === 1200 * kilobyte)
    const who = { _id: third.project._id, key: third.key }
    const large = begin({ 'content-length': 100 * kilobyte }, who)
    expect(await answerOf(large)).toMatchObject({ status: 429 })
    const little = begin({ 'content-length': email.length }, who)
    little.end(email)
    expect(await answerOf(little)).toMatchObject({ status: 201 })
  })
})

describe('two projects of one account', () => {
  it('share one account’s budget', async () => {
    const accountId = world.project.account._id
    const sister = await world.core.projects.create({ accountId, name: 'Sister' })
    const { key } = await world.core.apiKeys.create(sister._id, {})
    hold(500 * kilobyte)
    await until(() => budget.held() === 500 * kilobyte)
    expect(await answerOf(hold(200 * kilobyte, { _id: sister._id, key }))).toMatchObject({ status: 429 })
  })
})

describe('a visitor', () => {
  const visit = (path: string, bytes: number) => {
    const one = request(`${world.client.base}/v1/projectId/${owner()._id}${path}`, {
      method: 'POST',
      headers: { origin: 'https://shop.example', 'content-type': 'application/json', 'content-length': bytes },
    })
    one.on('error', () => undefined)
    open.push(one)
    one.flushHeaders()
    return one
  }
  beforeEach(async () => {
    const scope = { projectId: owner()._id, caller: 'operator' } as const
    await world.core.projects.update(scope, { whiteList: ['shop.example'], browserAccess: 'full' })
  })

  it('may send at most 16 KB', async () => {
    const long = JSON.stringify({ email: 'reader@example.com', name: 'x'.repeat(16 * kilobyte) })
    const [over, within] = [visit('/contacts', long.length), visit('/contacts', 16 * kilobyte)]
    over.end(long)
    within.end(JSON.stringify({ email: 'reader@example.com' }).padEnd(16 * kilobyte))
    expect(await answerOf(over)).toMatchObject({ status: 413 })
    expect(await answerOf(within)).toMatchObject({ status: 201 })
  })

  it('does not use the project’s share', async () => {
    for (let n = 0; n < 80; n += 1) visit('/contacts', 16 * kilobyte).write('{')
    const own = begin({ 'content-length': 590 * kilobyte })
    own.write('{')
    await until(() => budget.held() === 590 * kilobyte)
    own.end(`${' '.repeat(590 * kilobyte - 2)}}`)
    expect(await answerOf(own)).toMatchObject({ status: 400 })
  })
})

describe('the budget for bodies', () => {
  it('is freed when a body is answered or its sender disconnects', async () => {
    const long = padded(20 * kilobyte)
    const [answered, gone] = [begin({ 'content-length': long.length }), hold(500 * kilobyte)]
    await until(() => budget.held() === long.length + 500 * kilobyte)
    answered.end(long)
    expect(await answerOf(answered)).toMatchObject({ status: 400 })
    await until(() => budget.held() === 500 * kilobyte)
    gone.destroy()
    await until(() => budget.held() === 0)
  })

  it('lets a body wait for room', async () => {
    await world.client.close()
    await start({ wait: 20_000 })
    const first = hold(600 * kilobyte)
    await until(() => budget.held() > 0)
    const long = padded(20 * kilobyte)
    const second = begin({ 'content-length': long.length })
    second.end(long)
    await pause(50)
    first.destroy()
    expect(await answerOf(second)).toMatchObject({ status: 400 })
  })

  it('stops waiting when the sender disconnects', async () => {
    await world.client.close()
    await start({ wait: 20_000 })
    const first = hold(600 * kilobyte)
    await until(() => budget.held() > 0)
    hold(100 * kilobyte).destroy()
    await pause(50)
    first.destroy()
    await until(() => budget.held() === 0)
    expect(budget.held()).toBe(0)
  })
})

describe('a body that arrives too slowly', () => {
  it('gets 408 and frees its bytes', async () => {
    await world.client.close()
    await start({ window: 50, bytesInWindow: kilobyte })
    const one = hold(100 * kilobyte)
    const trickle = setInterval(() => one.write(' '), 10)
    expect(await answerOf(one)).toMatchObject({ status: 408 })
    clearInterval(trickle)
    await until(() => budget.held() === 0)
  })
})

describe('an unfinished upload', () => {
  it('is charged like any other body', async () => {
    const one = request(`${world.client.base}/v1/projectId/${owner()._id}/gallery/images`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${owner().key}`,
        'content-type': 'multipart/form-data; boundary=x',
        'content-length': 500 * kilobyte,
      },
    })
    one.on('error', () => undefined)
    open.push(one)
    one.write('--x\r\ncontent-disposition: form-data; name="image"; filename="a.png"\r\n\r\n')
    await until(() => budget.held() > 0)
    expect(budget.held()).toBe(500 * kilobyte)
    one.destroy()
    await until(() => budget.held() === 0)
  })
})
