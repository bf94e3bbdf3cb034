import { defineRecordKind, type StoredRecord } from '@posthorn/core/ports/storage'
import { expect, it } from 'vitest'
import { mongoRepository } from '../../src/records/mongo-repository.js'

type Letter = StoredRecord & { readonly document: unknown }

const document = Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'a part of the letter' }))

/** Arrived whole: nothing is waited for between its documents. */
const arrived = (count: number) => ({
  async *[Symbol.asyncIterator]() {
    for (let n = 0; n < count; n += 1) yield { _id: `letter-${n}`, document }
  },
})

it('a page of large documents lets others have their turn between them', async () => {
  const kind = defineRecordKind<Letter>('Letter')
  const letters = mongoRepository({ collection: () => ({ find: () => arrived(5) }) as never }, 'letters', kind)
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const sort = { by: '_id', order: 'asc' } as const
  const { items } = await letters.list({ where: {}, sort, skip: 0, limit: 30 })
  isOver = true
  expect(items.map(({ _id }) => _id)).toEqual(['letter-0', 'letter-1', 'letter-2', 'letter-3', 'letter-4'])
  expect(turns).toBeGreaterThan(3)
})
