import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterAll, expect, it } from 'vitest'
import {
  countMails,
  projectOf,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'

const data = temporaryDirectory()
afterAll(data.remove)

const email = { subject: 'A', type: 'html', document: '<p>A <a href="{{unsubscribeLink}}">U</a></p>' }
const due = { timeZone: 'UTC', status: 'scheduled', scheduledTo: '2020-01-01T00:00:00Z' }

it('a server whose database another process locks for 17 seconds right after it was ready continues, and sends what was due', async () => {
  const server = await startBuiltServer(data.path)
  const { post, list: subscriberListId } = projectOf(server)
  const status = async () => (await fetch(`${server.base}/readyz`)).status
  await until(async () => (await status()) === 200)
  await post(`/subscriber-lists/${subscriberListId}/subscribers`, { email: 'ada@example.com' })
  await post('/campaigns', { name: 'A', ...email, ...due, subscriberListId })
  const other = new DatabaseSync(join(data.path, 'posthorn.db'), { timeout: 5_000 })
  try {
    other.exec('BEGIN IMMEDIATE')
    await pause(17_000)
    other.exec('ROLLBACK')
  } finally {
    other.close()
  }
  await until(async () => (await status()) === 200)
  await until(() => countMails(data.path) === 1)
  await post(`/subscriber-lists/${subscriberListId}/subscribers`, { email: 'bob@example.com' })
  expect(await stopServer(server)).toBe(0)
}, 120_000)
