import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { aDelivery, aDispatch, aTime, numberedId } from '@posthorn/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/index.js'
import { folder } from '../folder.js'

const script = fileURLToPath(new URL('ledger-holder.ts', import.meta.url))
const at = (seconds: number) => new Date(Date.parse(aTime) + seconds * 1000).toISOString()
const projectId = numberedId(0xb)
const dispatchId = numberedId(0xd1)

let place: Awaited<ReturnType<typeof folder>>
let holder: ChildProcess | undefined
beforeEach(async () => {
  place = await folder()
})
afterEach(async () => {
  holder?.kill('SIGKILL')
  await place.remove()
})

const opened = async () => {
  const store = openSqliteStore({ file: place.file })
  const delivery = aDelivery({ dispatchId, projectId, contactId: numberedId(1), email: 'ada@example.com' })
  const dispatch = aDispatch({ _id: dispatchId, projectId, stage: 'sending' })
  await store.deliveries.accept({ dispatch, deliveries: [delivery], takes: [] })
  return { ...store, status: async () => (await store.deliveries.get(delivery._id))?.status }
}

const held = async (worker: string) => {
  const args = [script, place.file, worker, at(0), at(3_600), projectId]
  holder = spawn(process.execPath, ['--conditions=@posthorn/source', '--import', 'tsx', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [said] = await once(holder.stdout as NodeJS.ReadableStream, 'data')
  expect(String(said)).toBe('1\n')
  return holder
}

it('a killed process’s deliveries are reclaimed at once, before their lease expires', async () => {
  const { deliveries, status, close } = await opened()
  const child = await held('worker-1')
  expect((await deliveries.reclaim(at(1), at(1))).lost).toBe(0)
  expect(await status()).toBe('sending')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await deliveries.dispatchesOfDeadLeases(at(2))).toEqual([dispatchId])
  expect((await deliveries.reclaim(at(2), at(2))).lost).toBe(1)
  expect(await status()).toBe('queued')
  expect(readdirSync(`${place.file}-workers`)).toEqual([])
  await close()
})

it('a live worker keeps its deliveries, and leaves no lock file when the store closes', async () => {
  const { deliveries, status, close } = await opened()
  const queue = { lane: 'bulk', projectId } as const
  await deliveries.claim({ queue, worker: 'worker-1', now: at(0), leaseUntil: at(60), limit: 10 })
  expect((await deliveries.reclaim(at(1), at(1))).lost).toBe(0)
  expect(await status()).toBe('sending')
  await close()
  expect(existsSync(`${place.file}-workers`) ? readdirSync(`${place.file}-workers`) : []).toEqual([])
})
