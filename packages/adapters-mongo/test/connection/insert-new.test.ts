import { MongoBulkWriteError, MongoNetworkError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { isDuplicate } from '../../src/connection/duplicate-keys.js'
import { isTransient } from '../../src/connection/retries.js'

const result = { getWriteConcernError: () => undefined } as never

describe('a bulk insert', () => {
  it('is retried after a broken connection, not assumed written', () => {
    const error = new MongoBulkWriteError(new MongoNetworkError('connection 7 closed') as never, result)
    expect([isDuplicate(error), isTransient(error)]).toEqual([false, true])
  })

  it('counts as written if only duplicates failed', () => {
    const taken = { index: 0, code: 11_000, errmsg: 'taken' }
    const batch = (...writeErrors: readonly object[]) =>
      new MongoBulkWriteError({ message: 'failed', code: 11_000, writeErrors } as never, result)
    expect(isDuplicate(batch(taken, taken))).toBe(true)
    expect(isDuplicate(batch(taken, { ...taken, code: 121 }))).toBe(false)
  })
})
