import { busy } from '@posthorn/core/ports'
import type { Response } from 'express'
import { whenOver } from './when-over.js'

export type AnswerLimits = {
  /** Bytes that all answers together may hold. */
  readonly total: number
  /** Of these, what one owner may hold. */
  readonly share: number
  /** How long a request waits until there is room for its answer, in milliseconds. */
  readonly wait?: number
  /** How long a client may take for its answer where others find no room, in milliseconds. */
  readonly patience?: number
}

const megabyte = 1024 * 1024

export const standardAnswerLimits: AnswerLimits = { total: 256 * megabyte, share: 64 * megabyte }

type Held = { readonly owner: string; readonly response: Response; readonly since: number; bytes: number }
type Waiting = { readonly owner: string; readonly bytes: number; readonly admit: () => void }

const retrySeconds = 5

/**
 * Bounds the memory of answers that their clients have not taken yet: each counts until it is over. What finds no room waits before
 * anything is done for it, and is refused after a while; who has taken half a minute and is not done gives way to it.
 */
export const answerBudget = ({ total, share, wait = 5_000, patience = 30_000 }: AnswerLimits) => {
  /** The oldest first. */
  const held = new Set<Held>()
  const byOwner = new Map<string, number>()
  const waiting = new Set<Waiting>()
  let all = 0

  const change = (one: Held, bytes: number): void => {
    const more = bytes - one.bytes
    one.bytes = bytes
    all += more
    const left = (byOwner.get(one.owner) ?? 0) + more
    if (left > 0) byOwner.set(one.owner, left)
    else byOwner.delete(one.owner)
    if (more >= 0) return
    for (const next of waiting) if (fits(next.owner, next.bytes)) next.admit()
  }

  const isWithin = (most: number, holding: number, bytes: number) => holding + Math.max(bytes, 1) <= most
  const hasShare = (owner: string, bytes: number) => isWithin(share, byOwner.get(owner) ?? 0, bytes)
  /** Of who does not know how much it will be, and holds nothing, others cannot take the room. */
  const fits = (owner: string, bytes: number): boolean =>
    hasShare(owner, bytes) && (isWithin(total, all, bytes) || (bytes === 0 && !byOwner.has(owner)))

  const hold = (response: Response, owner: string, bytes: number): Held => {
    const one = { owner, response, since: performance.now(), bytes: 0 }
    held.add(one)
    change(one, bytes)
    whenOver(response, () => {
      held.delete(one)
      change(one, 0)
    })
    return one
  }

  /** Ends the slowest of those in whose place there would be room. */
  const giveWay = (owner: string, bytes: number): void => {
    const since = performance.now() - patience
    const ofOwner = !hasShare(owner, bytes)
    for (const one of held) {
      if (one.since > since || fits(owner, bytes)) return
      if (one.bytes === 0 || (ofOwner && one.owner !== owner)) continue
      held.delete(one)
      change(one, 0)
      one.response.req.socket.destroy()
    }
  }

  /** @throws Refusal `busy` with `Retry-After` where there is no room in time */
  const room = (response: Response, owner: string, bytes: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void) => {
        clearTimeout(timer)
        response.off('close', refuse)
        waiting.delete(one)
        act()
      }
      const refuse = () =>
        settle(() => {
          if (!response.headersSent) response.set('Retry-After', String(retrySeconds))
          reject(busy('Answers that were asked for before have not been taken yet. Please take these first.'))
        })
      const one: Waiting = { owner, bytes, admit: () => settle(resolve) }
      const timer = setTimeout(refuse, wait)
      response.once('close', refuse)
      waiting.add(one)
    })

  return {
    /** Whether an answer of unknown length may be made now. */
    hasRoom: (owner: string): boolean => fits(owner, 0),
    /** Waits until an answer of unknown length may be made. @throws Refusal `busy`, with `Retry-After` */
    room: async (response: Response, owner: string): Promise<void> => {
      if (fits(owner, 0)) return
      giveWay(owner, 0)
      if (!fits(owner, 0)) await room(response, owner, 0)
    },
    /** Counts an answer that was made. */
    hold: (response: Response, owner: string, bytes: number): void => void hold(response, owner, bytes),
    /** Takes room for what an answer may have at the most; what it has then is told. @throws Refusal `busy`, with `Retry-After` */
    reserve: async (response: Response, owner: string, most: number): Promise<(bytes: number) => void> => {
      const bytes = Math.min(most, share)
      if (!fits(owner, bytes)) giveWay(owner, bytes)
      while (!fits(owner, bytes)) await room(response, owner, bytes)
      const one = hold(response, owner, bytes)
      return (known) => {
        if (held.has(one)) change(one, known)
      }
    },
    /** Bytes that are held now. */
    held: () => all,
  }
}
export type AnswerBudget = ReturnType<typeof answerBudget>
