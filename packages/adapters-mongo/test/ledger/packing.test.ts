import fc from 'fast-check'
import { BSON } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { type PackedStepRows, packedStepRows, unpackedStepRows } from '../../src/ledger/stored-step.js'

const leaf = fc.oneof(fc.constantFrom<unknown>('one', 'once', '', '😀', '😁', 0, 1, null, true), fc.integer())
const noNullPrototype = true
const flat = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', '$e'), leaf, { noNullPrototype })
const value = fc.oneof(leaf, flat, fc.array(flat, { maxLength: 2 }), fc.array(leaf, { maxLength: 2 }))
const row = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), value, { noNullPrototype })

describe('row packing', () => {
  it('preserves any rows', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 6 }), (rows) => {
        expect(
          unpackedStepRows(BSON.deserialize(BSON.serialize(packedStepRows(rows))) as PackedStepRows),
        ).toStrictEqual(rows)
      }),
      { numRuns: 1_000 },
    )
  })

  it('omits undefined values', () => {
    expect(unpackedStepRows(packedStepRows([{ a: 1, b: undefined }]))).toStrictEqual([{ a: 1 }])
  })

  it('stores common values once', () => {
    const rows = Array.from({ length: 100 }, (_, n) => ({
      _id: `dispatch:contact${n}`,
      where: { worker: 'w', claim: 'c' },
      set: { status: 'sent', sentAt: `at ${n}`, updatedAt: `at ${n}` },
      brings: { received: [{ contactId: `contact${n}`, projectId: 'p' }] },
    }))
    const { same, each, inner } = packedStepRows(rows)
    expect(same).toEqual({ where: { worker: 'w', claim: 'c' } })
    expect(each._id).toMatchObject({ begin: 'dispatch:contact' })
    expect(inner.set).toMatchObject({ same: { status: 'sent' }, like: { updatedAt: 'sentAt' } })
    expect(inner.brings?.lists.received?.[0]).toMatchObject({ same: { projectId: 'p' } })
  })
})
