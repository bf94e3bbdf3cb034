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

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close()
})

it('an event reaches its webhook, though the process that recorded it was killed before it posted', async () => {
  const data = temporaryDirectory()
  const receiver = await localReceiver((_, response) => response.end())
  closing.push(data.remove, receiver.close)

  const api = await startBuiltServer(data.path, { POSTHORN_ROLES: 'api' })
  const project = projectOf(api)
  await project.patch('/webhook', { url: receiver.url, secretKey: bootstrapKey, subscription: true })
  const person = { email: 'ada@example.com', name: 'Ada', status: 'active' }
  await project.post(`/subscriber-lists/${project.list}/subscribers`, person)
  await stopServer(api, 'SIGKILL')
  expect(receiver.received).toEqual([])

  const worker = await startBuiltServer(data.path, { POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true' })
  closing.push(() => stopServer(worker))
  await until(() => receiver.received.length > 0)
  const [post] = receiver.received
  expect(post?.headers.authorization).toBe(`Bearer ${bootstrapKey}`)
  expect(JSON.parse(post?.body ?? '')).toMatchObject({ type: 'subscribe', subscription: { email: person.email } })
})
