import type { Refusal } from '@posthorn/core'
import { busy } from '@posthorn/core/ports'
import type { Request, Response } from 'express'
import { hasArrived } from './body.js'
import { HttpRefusal } from './errors.js'
import { whenOver } from './when-over.js'

export type BodyBudgetOptions = {
  /** Bytes that all bodies together may hold. */
  readonly total: number
  /** Of these, what one owner may hold. */
  readonly share: number
  /** How long a body waits for room, in milliseconds. */
  readonly wait?: number
  /** In every window, in milliseconds, so many bytes have to come. */
  readonly window?: number
  readonly bytesInWindow?: number
}

type Waiting = { readonly owner: string; readonly bytes: number; readonly admit: () => void }

const kilobyte = 1024
/** Bodies up to this size find room where larger ones wait. */
const small = 64 * kilobyte
const retrySeconds = 5

/** Bytes that are taken and given back, by owner. */
const ledger = (total: number, share: number) => {
  const held = new Map<string, number>()
  let all = 0
  const change = (owner: string, bytes: number): void => {
    all += bytes
    const left = (held.get(owner) ?? 0) + bytes
    if (left > 0) held.set(owner, left)
    else held.delete(owner)
  }
  const fits = (owner: string, bytes: number) =>
    (held.get(owner) ?? 0) + bytes <= share && all + bytes <= (bytes <= small ? total : total - total / 4)
  return { fits, change, all: () => all }
}

/** What a body is charged before it is read; nothing where its length is not known, and all that it may become where it is packed. */
const declaredBytes = ({ headers }: Request, limit: number): number => {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return limit
  return Math.min(Number(headers['content-length'] ?? 0) || 0, limit)
}

/**
 * Bounds the memory that bodies hold while they come in and are worked on: each is charged by its `Content-Length` before it is read,
 * or as it comes, until it is answered. What finds no room waits, and is refused after a while; a body that stops coming is given up.
 */
export const bodyBudget = ({
  total,
  share,
  wait = 5_000,
  window = 10_000,
  bytesInWindow = 512 * kilobyte,
}: BodyBudgetOptions) => {
  const { fits, change, all } = ledger(total, share)
  const waiting = new Set<Waiting>()

  const tooMany = (response: Response): Refusal => {
    response.set('Retry-After', String(retrySeconds))
    return busy('Too much is being sent at the same time. Please send less at once.')
  }

  const admitWaiting = (): void => {
    for (const one of waiting) if (fits(one.owner, one.bytes)) one.admit()
  }

  /** Takes the bytes, now or as soon as there is room; false where there is none in time, or nobody waits for it any more. */
  const taken = (response: Response, owner: string, bytes: number): Promise<boolean> => {
    if (fits(owner, bytes)) {
      change(owner, bytes)
      return Promise.resolve(true)
    }
    return new Promise((resolve) => {
      const settle = (admitted: boolean) => {
        clearTimeout(timer)
        response.off('close', giveUp)
        waiting.delete(one)
        if (admitted) change(owner, bytes)
        resolve(admitted)
      }
      const giveUp = () => settle(false)
      const one: Waiting = { owner, bytes, admit: () => settle(true) }
      const timer = setTimeout(giveUp, wait)
      response.once('close', giveUp)
      waiting.add(one)
    })
  }

  /** Counts what comes, and rejects where it finds no room or comes too slowly. */
  const watched = (request: Request, response: Response, grow: (bytes: number) => boolean) => {
    let end = () => {}
    const failure = new Promise<never>((_resolve, reject) => {
      let came = 0
      const fail = (reason: Error) => {
        end()
        request.unpipe()
        request.pause()
        response.set('Connection', 'close').once('finish', () => request.destroy())
        reject(reason)
      }
      const onData = (chunk: Buffer) => {
        came += chunk.length
        if (!grow(chunk.length)) fail(tooMany(response))
      }
      const clock = setInterval(() => {
        if (came < bytesInWindow) fail(new HttpRefusal('too-slow', 'The body comes too slowly.'))
        came = 0
      }, window)
      end = () => {
        clearInterval(clock)
        request.off('data', onData)
      }
      request.on('data', onData)
      request.once('end', end).once('close', end)
    })
    return { failure, end: () => end() }
  }

  return {
    /**
     * Reads a body of at most `limit` bytes within the budget.
     * @throws Refusal `busy` with `Retry-After`, HttpRefusal `too-slow`
     */
    read: async <T>(
      { request, response, owner, limit }: { request: Request; response: Response; owner: string; limit: number },
      reading: () => Promise<T>,
    ): Promise<T> => {
      let charged = declaredBytes(request, limit)
      if (!(await taken(response, owner, charged))) throw tooMany(response)
      let unpaid = charged
      const release = () => {
        change(owner, -charged)
        charged = 0
        admitWaiting()
      }
      whenOver(response, release)
      // It is charged whole, and nothing more of it can come, too slowly or at all.
      if (hasArrived(request)) return reading()
      const { failure, end } = watched(request, response, (bytes) => {
        const more = Math.max(0, bytes - unpaid)
        unpaid = Math.max(0, unpaid - bytes)
        if (charged + more > limit || response.closed) return true
        if (!fits(owner, more)) return false
        change(owner, more)
        charged += more
        return true
      })
      try {
        return await Promise.race([reading(), failure])
      } finally {
        end()
      }
    },
    /** Bytes that are held now. */
    held: all,
  }
}
export type BodyBudget = ReturnType<typeof bodyBudget>
