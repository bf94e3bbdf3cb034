import type { ContactQuery, SegmentGroups } from '@posthorn/core/ports/storage'
import { numberedId } from '@posthorn/testkit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { contactRanges } from '../../src/contacts/contact-ranges.js'
import type { SqliteDatabase } from '../../src/database/sqlite-database.js'
import type { SqliteStore } from '../../src/index.js'
import { contactSegmentIndex } from '../../src/segment-index/segment-index.js'
import type { folder } from '../folder.js'
import { closeFile, openFile } from '../store-for-each.js'

const projectId = numberedId(0xb)
const many = 30_000

/** More contacts than one thread counts alone, as short rows without documents: half of them in Vienna, in any order of ids. */
const rowsSql = `INSERT INTO segment_index (project, id, created, f0)
  WITH RECURSIVE n (i) AS (SELECT ?1 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?2)
  SELECT 1, printf('%08x', (i * 7919) % 1000003) || printf('%016x', i), i, CASE WHEN i % 2 THEN 'vienna' END FROM n`

describe('ranges of a large project’s contacts', () => {
  let place: Awaited<ReturnType<typeof folder>>
  let store: SqliteStore
  let database: SqliteDatabase
  beforeEach(async () => {
    ;({ place, store, raw: database } = await openFile())
    await database.write(() => {
      database.statement('INSERT INTO short_keys VALUES (1, ?)').run(projectId)
      database.statement(`INSERT INTO segment_slots VALUES (1, 'city', 0)`).run()
    })
    await add(0, many)
  })
  afterEach(() => closeFile({ place, store, raw: database }))

  const add = (from: number, to: number) =>
    database.write(() => {
      database.statement(rowsSql).run(from, to)
      database
        .statement(`INSERT INTO tallies VALUES (1, '', ?1) ON CONFLICT (subject, status) DO UPDATE SET n = n + ?1`)
        .run(to - from)
    })

  const partsOf = () => contactRanges(database, contactSegmentIndex(database))
  const divided = async (of = partsOf()) => {
    await vi.waitUntil(() => of(projectId).length > 1, 30_000)
    return of(projectId)
  }
  const sizes = (parts: Awaited<ReturnType<typeof divided>>) =>
    parts.map(([after, upTo]) => {
      const counted = database.statement(
        'SELECT count(*) AS n FROM segment_index WHERE project = 1 AND id > ? AND id <= ?',
      )
      return Number(counted.get(after, upTo)?.n)
    })
  const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b, 0)

  it('have similar sizes, and contain each contact once', async () => {
    const found = sizes(await divided())
    expect(found).toHaveLength(32)
    expect(sum(found)).toBe(many)
    expect(Math.max(...found) - Math.min(...found)).toBeLessThan(40)
  })

  it('also contain later contacts, and are divided again after many', async () => {
    const of = partsOf()
    const before = await divided(of)
    await add(many, many + 5_000)
    expect(of(projectId)).toBe(before)
    expect(sum(sizes(before))).toBe(many + 5_000)
    await add(many + 5_000, 2 * many)
    expect(of(projectId)).toBe(before)
    expect(sum(sizes(before))).toBe(2 * many)
    await vi.waitUntil(() => of(projectId) !== before, 30_000)
    expect(Math.max(...sizes(of(projectId)))).toBeLessThan(2_000)
  })

  it('are a single range if the contacts are few or unreadable', async () => {
    const columns = contactSegmentIndex(database)
    const few = contactRanges(database, { ...columns, tally: () => 19_999 })
    const failing = Object.assign(() => Promise.reject(new Error('closed')), database.readers.request('nobody'))
    const closed = contactRanges({ ...database, readers: { ...database.readers, request: () => failing } }, columns)
    for (const of of [few, closed]) {
      for (let n = 0; n < 3; n += 1) expect(of(projectId)).toHaveLength(1)
      await new Promise(setImmediate)
      expect(of(projectId)).toHaveLength(1)
    }
  })

  it('reject a search with too many comparisons, naming the limit', async () => {
    const condition = { category: 'contact-property', operator: 'contains', property: 'city', value: 'x' } as const
    const group = { conditions: Array.from({ length: 50 }, () => condition) }
    const page = (groups: number) =>
      store.contactSearch.page({
        ...{ projectId, where: {}, segments: [Array.from({ length: groups }, () => group)], skip: 0, limit: 1 },
        ...{ now: '2026-01-06T12:00:00.000Z', sort: { by: 'createdAt', order: 'desc' } },
      })
    await expect(page(34)).rejects.toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('1700 conditions with 30000 contacts: the limit is 50000000 comparisons'),
    })
    expect(await page(1)).toEqual({ items: [], count: 0 })
  })

  it('are counted together', async () => {
    const inVienna: SegmentGroups = [
      { conditions: [{ category: 'contact-property', operator: 'equals', property: 'city', value: 'Vienna' }] },
    ]
    const question: ContactQuery = {
      ...{ projectId, where: {}, segments: [inVienna], skip: many, limit: 1, now: '2026-01-06T12:00:00.000Z' },
      sort: { by: 'createdAt', order: 'desc' },
    }
    for (let n = 0; n < 20; n += 1)
      expect(await store.contactSearch.page(question)).toEqual({ items: [], count: many / 2 })
  })
})
