import { MongoBulkWriteError, MongoNetworkError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { isDuplicate } from '../../src/connection/duplicate-keys.js'
import { isTransient } from '../../src/connection/retries.js'

const result = { getWriteConcernError: () => undefined } as never

describe('a batch', () => {
  it('whose connection was cut is to be tried again, not taken for written', () => {
    const error = new MongoBulkWriteError(new MongoNetworkError('connection 7 closed') as never, result)
    expect([isDuplicate(error), isTransient(error)]).toEqual([false, true])
  })

  it('of which some were there already is written, unless something else was wrong with one', () => {
    const taken = { index: 0, code: 11_000, errmsg: 'taken' }
    const batch = (...writeErrors: readonly object[]) =>
      new MongoBulkWriteError({ message: 'failed', code: 11_000, writeErrors } as never, result)
    expect(isDuplicate(batch(taken, taken))).toBe(true)
    expect(isDuplicate(batch(taken, { ...taken, code: 121 }))).toBe(false)
  })
})
