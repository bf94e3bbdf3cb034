import { MongoNetworkError, MongoOperationTimeoutError, MongoServerError } from 'mongodb'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { retried } from '../../src/connection/retries.js'

afterEach(() => {
  vi.useRealTimers()
})

/** Work that meets these errors one after the other and then comes through, and how often it was tried. */
const meeting = (...errors: readonly Error[]) => {
  let tries = 0
  const work = async () => {
    const error = errors[tries]
    tries += 1
    if (error) throw error
    return 'done'
  }
  return { work, tries: () => tries }
}

const serverError = (code: number) => new MongoServerError({ code, message: `error ${code}` })

describe('idempotent work', () => {
  it('is not retried if the server ended it, because it would take as long again', async () => {
    const ended = new MongoOperationTimeoutError('Timed out', { cause: serverError(50) })
    const { work, tries } = meeting(ended)
    await expect(retried(work)).rejects.toMatchObject({ name: 'StoreUnavailable', cause: ended })
    expect(tries()).toBe(1)
  })

  it('is retried after a client timeout, because its outcome is unknown', async () => {
    const { work, tries } = meeting(new MongoOperationTimeoutError('Timed out'))
    expect(await retried(work)).toBe('done')
    expect(tries()).toBe(2)
  })

  it.each([
    ['a network that was cut', new MongoNetworkError('connection 1 closed')],
    ['a server that is no longer the primary', serverError(10107)],
    ['a server that shuts down', serverError(91)],
    ['a write conflict', serverError(112)],
  ])('is retried after %s', async (_, error) => {
    const { work, tries } = meeting(error, error)
    expect(await retried(work)).toBe('done')
    expect(tries()).toBe(3)
  })

  it.each([
    ['a key that is taken', serverError(11000)],
    ['a document that is refused', serverError(121)],
    ['a mistake of our own', new TypeError('undefined is not a function')],
  ])('is not retried after %s', async (_, error) => {
    const { work, tries } = meeting(error)
    await expect(retried(work)).rejects.toBe(error)
    expect(tries()).toBe(1)
  })

  it('is retried if it never ends', async () => {
    vi.useFakeTimers()
    let tries = 0
    const outcome = retried(() => {
      tries += 1
      return tries === 1 ? new Promise<string>(() => {}) : Promise.resolve('done')
    })
    await vi.advanceTimersByTimeAsync(60_000)
    expect([await outcome, tries]).toEqual(['done', 2])
  })
})
