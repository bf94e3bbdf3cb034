import { busy } from '@posthorn/core/ports/runtime'
import type { Response } from 'express'
import { whenOver } from '../when-over.js'
import type { Owner } from './owner.js'
import { type ShareLimits, shares } from './shares.js'

/** In bytes. */
export type AnswerLimits = ShareLimits & {
  /** Milliseconds after which an unread response may be ended for one that does not fit. */
  readonly patience?: number
}

const megabyte = 1024 * 1024

export const standardAnswerLimits: AnswerLimits = { total: 256 * megabyte, share: 64 * megabyte }

/** Bytes that each client may hold even if the total is used up. */
const least = megabyte

type Held = { readonly owner: Owner; readonly response: Response; readonly since: number; bytes: number }

const retrySeconds = 5

/**
 * Bounds the memory of responses that clients have not read yet; each counts until it is over. A response that does not fit is refused
 * before the work for it.
 */
export const answerBudget = ({ total, share, patience = 30_000 }: AnswerLimits) => {
  /** Oldest first. */
  const held = new Set<Held>()
  const room = shares({ total, share })

  const change = (one: Held, bytes: number): void => {
    room.change(one.owner, bytes - one.bytes)
    one.bytes = bytes
  }

  const release = (one: Held): void => {
    if (held.delete(one)) change(one, 0)
  }

  const hold = (response: Response, owner: Owner, bytes: number): Held => {
    const one = { owner, response, since: performance.now(), bytes: 0 }
    held.add(one)
    change(one, bytes)
    whenOver(response, () => release(one))
    return one
  }

  const fits = (owner: Owner, bytes: number): boolean =>
    room.fits(owner, bytes, room.heldBy(owner[0]) + bytes <= least ? Number.POSITIVE_INFINITY : total)

  /** Ends responses older than `patience`, oldest first: those of the payer without room, or anyone's if only the total is used up. */
  const giveWay = (owner: Owner, bytes: number): void => {
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
    /**
     * Reserves about `expected` bytes for a response, before the work for it. Call the result with the length once it is known.
     * @throws Refusal `busy`, with `Retry-After`
     */
    take: (response: Response, owner: Owner, expected = 0): ((bytes: number) => void) => {
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
    /** Bytes that are reserved now. */
    held: room.all,
  }
}
export type AnswerBudget = ReturnType<typeof answerBudget>
