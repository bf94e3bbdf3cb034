import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { collected } from '@posthorn/core/ports/storage'
import { aProject, numberedId } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { thorough } from '../../../tests/thorough.js'
import { openSqliteStore } from '../src/index.js'
import { folder } from './folder.js'

const script = fileURLToPath(new URL('writer.ts', import.meta.url))

describe('several processes on one file', () => {
  let place: Awaited<ReturnType<typeof folder>>
  let writers: ChildProcess[] = []
  beforeEach(async () => {
    place = await folder()
  })
  afterEach(async () => {
    for (const writer of writers) writer.kill('SIGKILL')
    writers = []
    await place.remove()
  })

  const writer = (first: number, many: number) => {
    const child = spawn(
      process.execPath,
      ['--conditions=@posthorn/source', '--import', 'tsx', script, place.file, `${first}`, `${many}`],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    writers.push(child)
    const acknowledged: number[] = []
    createInterface({ input: child.stdout }).on('line', (line) => {
      acknowledged.push(Number(line))
      child.emit('acknowledged')
    })
    return {
      acknowledged,
      ended: once(child, 'close').then(([code]) => code as number | null),
      /** Ends the process without a word, once it has said so much. */
      killAfter: async (many: number) => {
        while (acknowledged.length < many) await once(child, 'acknowledged')
        child.kill('SIGKILL')
      },
    }
  }

  const prepared = async () => {
    const { repositories, close } = openSqliteStore({ file: place.file })
    await repositories.projects.add(aProject({ name: '0' }))
    await close()
  }

  /** The numbers of contacts and of dispatches with their delivery, the credits taken and the changes made. */
  const written = async () => {
    const { repositories, deliveries, counters, close } = openSqliteStore({ file: place.file })
    const contacts = await collected(repositories.contacts.each({}))
    const dispatches = await collected(repositories.dispatches.each({}))
    const tallies = await Promise.all(dispatches.map(({ _id }) => deliveries.tally(_id)))
    const credits = await counters.used('credit')
    const project = await repositories.projects.get({ _id: numberedId(0xb) })
    await close()
    const numbers = (records: readonly { readonly _id: string }[]) => records.map(({ _id }) => Number.parseInt(_id, 16))
    return {
      contacts: new Set(numbers(contacts)),
      dispatches: new Set(numbers(dispatches)),
      deliveries: tallies.reduce((sum, { byStatus }) => sum + byStatus.queued, 0),
      credits,
      changes: Number(project?.name),
    }
  }

  it('that die while writing keep everything they acknowledged, and nothing half done', async () => {
    await prepared()
    for (const round of thorough ? [1, 2, 3] : [1]) {
      const { acknowledged, killAfter, ended } = writer(round * 1_000_000, 1_000_000)
      await killAfter(200 * round)
      await ended
      const { contacts, dispatches, deliveries, credits, changes } = await written()
      expect(acknowledged.filter((n) => !contacts.has(n) || !dispatches.has(n))).toEqual([])
      expect(deliveries).toBe(dispatches.size)
      expect(credits).toBe(dispatches.size)
      expect(changes).toBeGreaterThanOrEqual(acknowledged.length)
    }
  })

  it('that write concurrently lose none of each other’s writes', async () => {
    await prepared()
    const each = thorough ? 500 : 100
    const both = [writer(1_000_000, each), writer(2_000_000, each)]
    expect(await Promise.all(both.map(({ ended }) => ended))).toEqual([0, 0])
    const { contacts, dispatches, deliveries, credits, changes } = await written()
    expect([contacts.size, dispatches.size, deliveries, credits, changes]).toEqual(Array(5).fill(2 * each))
  })

  it('may create the file concurrently', async () => {
    const all = [1, 2, 3, 4].map((n) => writer(n * 1_000_000, 0))
    expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0, 0])
    expect((await written()).contacts.size).toBe(0)
  })
})
