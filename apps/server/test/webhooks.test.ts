import { localReceiver } from '@posthorn/testkit'
import { afterEach, expect, it } from 'vitest'
import {
  bootstrapKey,
  projectOf,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'

const allowed = { POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true' }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

it('an event reaches each of several webhooks even if its process was killed before posting', async () => {
  const data = temporaryDirectory()
  const receivers = await Promise.all([1, 2, 3].map(() => localReceiver((_, response) => response.end())))
  closing.push(data.remove, ...receivers.map(({ close }) => close))

  const api = await startBuiltServer(data.path, { ...allowed, POSTHORN_ROLES: 'api' })
  const project = projectOf(api)
  for (const { url } of receivers) await project.post('/webhooks', { url, types: ['subscribe'] })
  const people = ['ada@example.com', 'alan@example.com', 'grace@example.com']
  for (const email of people)
    await project.post(`/subscriber-lists/${project.list}/subscribers`, { email, name: 'N', status: 'active' })
  await stopServer(api, 'SIGKILL')
  expect(receivers.flatMap(({ received }) => received)).toEqual([])

  const worker = await startBuiltServer(data.path, allowed)
  closing.push(() => stopServer(worker))
  await until(() => receivers.every(({ received }) => received.length === people.length))
  for (const { received } of receivers)
    expect(
      received.map(({ body }) => String(JSON.parse(body).subscription.email)).toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(people)
  const ids = receivers.flatMap(({ received }) => received.map(({ headers }) => headers['webhook-id']))
  expect(new Set(ids).size).toBe(ids.length)
})

it('an event reaches its webhook even if its process was killed before posting', async () => {
  const data = temporaryDirectory()
  const receiver = await localReceiver((_, response) => response.end())
  closing.push(data.remove, receiver.close)

  const api = await startBuiltServer(data.path, { ...allowed, POSTHORN_ROLES: 'api' })
  const project = projectOf(api)
  await project.patch('/webhook', { url: receiver.url, secretKey: bootstrapKey, subscription: true })
  const person = { email: 'ada@example.com', name: 'Ada', status: 'active' }
  await project.post(`/subscriber-lists/${project.list}/subscribers`, person)
  await stopServer(api, 'SIGKILL')
  expect(receiver.received).toEqual([])

  const worker = await startBuiltServer(data.path, allowed)
  closing.push(() => stopServer(worker))
  await until(() => receiver.received.length > 0)
  const [post] = receiver.received
  expect(post?.headers.authorization).toBe(`Bearer ${bootstrapKey}`)
  expect(JSON.parse(post?.body ?? '')).toMatchObject({ type: 'subscribe', subscription: { email: person.email } })
})
