import type { Refusal } from '@posthorn/core'
import { busy } from '@posthorn/core/ports/runtime'
import type { Request, Response } from 'express'
import { HttpRefusal } from '../errors.js'
import { hasBodyArrived, smallBodyLimit } from '../request.js'
import { whenResponseEnds } from '../response.js'
import type { RequestPayers } from './owner.js'
import { ownerShareLimiter, requestQueue, type ShareLimits } from './shares.js'

export type ResponseMemoryLimits = ShareLimits & {
  /** Age in ms from which unread responses may be ended to admit others. */
  readonly patience?: number
}

const megabyte = 1024 * 1024

export const standardResponseMemoryLimits: ResponseMemoryLimits = { total: 256 * megabyte, share: 64 * megabyte }

/** Bytes that each client may hold even if the total is used up. */
const least = megabyte

type Held = { readonly owner: RequestPayers; readonly response: Response; readonly since: number; bytes: number }

const retrySeconds = 5

/** Bounds the memory of unread responses; refuses before the work. */
export const responseMemoryBudget = ({ total, share, patience = 30_000 }: ResponseMemoryLimits) => {
  const held = new Set<Held>()
  const room = ownerShareLimiter({ total, share })

  const change = (one: Held, bytes: number): void => {
    room.change(one.owner, bytes - one.bytes)
    one.bytes = bytes
  }

  const release = (one: Held): void => {
    if (held.delete(one)) change(one, 0)
  }

  const hold = (response: Response, owner: RequestPayers, bytes: number): Held => {
    const one = { owner, response, since: performance.now(), bytes: 0 }
    held.add(one)
    change(one, bytes)
    whenResponseEnds(response, () => release(one))
    return one
  }

  const fits = (owner: RequestPayers, bytes: number): boolean =>
    room.fits(owner, bytes, room.heldBy(owner[0]) + bytes <= least ? Number.POSITIVE_INFINITY : total)

  /** Ends old responses, oldest first: of the payer without room, or of anybody if only the total is used up. */
  const giveWay = (owner: RequestPayers, bytes: number): void => {
    const since = performance.now() - patience
    const full = room.full(owner, bytes)
    for (const one of held) {
      if (one.since > since || fits(owner, bytes)) return
      if (full && !one.owner.some(({ key }) => key === full.key)) continue
      release(one)
      one.response.req.socket.destroy()
    }
  }

  return {
    /** Reserves about `expected` bytes; call the result with the final length. @throws Refusal `busy`, with `Retry-After` */
    take: (response: Response, owner: RequestPayers, expected = 0): ((bytes: number) => void) => {
      const bytes = Math.max(1, Math.min(expected, room.most(owner)))
      if (!fits(owner, bytes)) giveWay(owner, bytes)
      if (!fits(owner, bytes)) {
        response.set('Retry-After', String(retrySeconds))
        throw busy(
          `Too many responses are still being downloaded. Read or close them, then retry in ${retrySeconds} s.`,
        )
      }
      const one = expected > 0 ? hold(response, owner, bytes) : undefined
      return (known) => {
        if (!one) hold(response, owner, known)
        else if (held.has(one)) change(one, known)
      }
    },
    held: room.all,
  }
}
export type ResponseMemoryBudget = ReturnType<typeof responseMemoryBudget>

export type BodyBudgetOptions = ShareLimits & {
  /** Wait for room, in ms. */
  readonly wait?: number
  /** Bytes that must arrive in every window (ms). */
  readonly window?: number
  readonly bytesInWindow?: number
}

const kilobyte = 1024
/** Larger bodies leave a quarter of the total to these. */
const medium = 64 * kilobyte

/** 0 if unknown, the whole limit if compressed. */
const declaredBytes = ({ headers }: Request, limit: number): number => {
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') return limit
  return Math.min(Number(headers['content-length'] ?? 0) || 0, limit)
}

const charge = (bytes: number): number => (bytes <= smallBodyLimit ? 0 : bytes)

/** A body without room waits up to `wait`; a body that stops arriving is aborted. */
export const bodyBudget = ({
  total,
  share,
  wait = 5_000,
  window = 10_000,
  bytesInWindow = 512 * kilobyte,
}: BodyBudgetOptions) => {
  const { take, change, all } = ownerShareLimiter({ total, share })
  const waiting = requestQueue()
  const taken = (owner: RequestPayers, bytes: number): boolean =>
    bytes === 0 || take(owner, bytes, bytes <= medium ? total : total - total / 4)

  const tooMany = (response: Response): Refusal => {
    response.set('Retry-After', String(retrySeconds))
    return busy(`Too many large bodies at once. Retry in ${retrySeconds} s, with fewer at the same time.`)
  }

  const watched = (request: Request, response: Response, grow: (bytes: number) => boolean) => {
    let end = () => {}
    const failure = new Promise<never>((_resolve, reject) => {
      let arrived = 0
      const fail = (reason: Error) => {
        end()
        request.unpipe()
        request.pause()
        response.set('Connection', 'close').once('finish', () => request.destroy())
        reject(reason)
      }
      const onData = (chunk: Buffer) => {
        arrived += chunk.length
        if (!grow(chunk.length)) fail(tooMany(response))
      }
      const clock = setInterval(() => {
        if (arrived < bytesInWindow) fail(new HttpRefusal('too-slow', 'The body arrives too slowly.'))
        arrived = 0
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
    /** @throws Refusal `busy` with `Retry-After`, HttpRefusal `too-slow` */
    read: async <T>(
      {
        request,
        response,
        owner,
        limit,
      }: { request: Request; response: Response; owner: RequestPayers; limit: number },
      reading: () => Promise<T>,
    ): Promise<T> => {
      const declared = declaredBytes(request, limit)
      let charged = charge(declared)
      const room = waiting.take(response, () => taken(owner, charged), wait)
      if (room !== true && !(await room)) throw tooMany(response)
      if (charged > 0 || !hasBodyArrived(request))
        whenResponseEnds(response, () => {
          if (charged > 0) change(owner, -charged)
          charged = 0
          waiting.retry()
        })
      // A complete body cannot arrive slowly.
      if (hasBodyArrived(request)) return reading()
      let arrived = 0
      const { failure, end } = watched(request, response, (bytes) => {
        arrived += bytes
        const more = charge(Math.max(declared, arrived)) - charged
        if (arrived > limit || response.closed) return true
        if (!taken(owner, more)) return false
        charged += more
        return true
      })
      try {
        return await Promise.race([reading(), failure])
      } finally {
        end()
      }
    },
    held: all,
  }
}
export type BodyBudget = ReturnType<typeof bodyBudget>
