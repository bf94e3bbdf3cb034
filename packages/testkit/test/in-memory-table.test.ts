import { defineRecordKind, type RecordKind, type StoredRecord, type Where } from '@posthorn/core/ports/storage'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { whereMatcher } from '../src/in-memory/table.js'
import { inMemoryTable } from '../src/index.js'

type Thing = StoredRecord & { readonly owner: string; readonly name: string; readonly size?: number }

const things: RecordKind<Thing> = defineRecordKind('Thing', { unique: [['owner', 'name'], ['size']], index: [] })

const id = fc.constantFrom('1', '2', '10', '3')
const owner = fc.constantFrom('a', 'b')
const name = fc.constantFrom('x', 'y', 'z')
const size = fc.constantFrom(1, 2, 3)
const oneOrSome = <T>(value: fc.Arbitrary<T>) => fc.oneof(value, fc.array(value, { maxLength: 3 }))

const thing: fc.Arbitrary<Thing> = fc.record({ _id: id, owner, name, size }, { requiredKeys: ['_id', 'owner', 'name'] })
const where: fc.Arbitrary<Where<Thing>> = fc.record(
  {
    _id: oneOrSome(id),
    owner: oneOrSome(owner),
    name: oneOrSome(name),
    size: fc.oneof(oneOrSome(size), fc.constant(undefined)),
  },
  { requiredKeys: [] },
)

describe('an in-memory table', () => {
  it('finds by its keys what a full scan finds', () => {
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 12 }), where, fc.option(id, { nil: undefined }), (all, asked, after) => {
        const table = inMemoryTable('things', things)
        for (const one of all)
          try {
            if (!table.get({ _id: one._id })) table.add(one)
            else table.change({ _id: one._id }, () => one)
          } catch {
            table.remove({ owner: one.owner })
          }
        const everything = [...table.fits({})]
        expect(everything.map(({ _id }) => _id)).toEqual(everything.map(({ _id }) => _id).sort())
        expect([...table.fits(asked, after)]).toEqual(
          everything.filter(whereMatcher(asked)).filter(({ _id }) => after === undefined || _id > after),
        )
      }),
      { numRuns: 500 },
    )
  })
})
