import { busy } from '@posthorn/core/ports'
import type { Response } from 'express'
import { whenOver } from './when-over.js'

export type AnswerLimits = {
  /** Bytes that all answers together may hold. */
  readonly total: number
  /** Of these, what one owner may hold. */
  readonly share: number
  /** How long a client may take for its answer where others find no room, in milliseconds. */
  readonly patience?: number
}

const megabyte = 1024 * 1024

export const standardAnswerLimits: AnswerLimits = { total: 256 * megabyte, share: 64 * megabyte }

/** What an owner may hold whoever holds the rest. */
const least = megabyte

type Held = { readonly owner: string; readonly response: Response; readonly since: number; bytes: number }

const retrySeconds = 5

/**
 * Bounds the memory of answers that their clients have not taken yet: each counts until it is over. What finds no room is refused at once,
 * and who has taken half a minute and is not done gives way.
 */
export const answerBudget = ({ total, share, patience = 30_000 }: AnswerLimits) => {
  /** The oldest first. */
  const held = new Set<Held>()
  const byOwner = new Map<string, number>()
  let all = 0

  const change = (one: Held, bytes: number): void => {
    const left = (byOwner.get(one.owner) ?? 0) + bytes - one.bytes
    all += bytes - one.bytes
    one.bytes = bytes
    if (left > 0) byOwner.set(one.owner, left)
    else byOwner.delete(one.owner)
  }

  const release = (one: Held): void => {
    if (held.delete(one)) change(one, 0)
  }

  const hold = (response: Response, owner: string, bytes: number): Held => {
    const one = { owner, response, since: performance.now(), bytes: 0 }
    held.add(one)
    change(one, bytes)
    whenOver(response, () => release(one))
    return one
  }

  const fits = (owner: string, bytes: number): boolean => {
    const own = (byOwner.get(owner) ?? 0) + Math.max(bytes, 1)
    return own <= share && (own <= least || all + bytes <= total)
  }

  /** Ends the slowest of those in whose place there would be room. */
  const giveWay = (owner: string, bytes: number): void => {
    const since = performance.now() - patience
    const ofOwner = (byOwner.get(owner) ?? 0) + Math.max(bytes, 1) > share
    for (const one of held) {
      if (one.since > since || fits(owner, bytes)) return
      if (ofOwner && one.owner !== owner) continue
      release(one)
      one.response.req.socket.destroy()
    }
  }

  return {
    /**
     * Takes room for an answer of about so many bytes, to be called before the work for it. What it has is told once that is known.
     * @throws Refusal `busy`, with `Retry-After`
     */
    take: (response: Response, owner: string, expected = 0): ((bytes: number) => void) => {
      const bytes = Math.min(expected, share)
      if (!fits(owner, bytes)) giveWay(owner, bytes)
      if (!fits(owner, bytes)) {
        response.set('Retry-After', String(retrySeconds))
        throw busy('Answers that were asked for before have not been taken yet. Please take these first.')
      }
      const one = bytes > 0 ? hold(response, owner, bytes) : undefined
      return (known) => {
        if (!one) hold(response, owner, known)
        else if (held.has(one)) change(one, known)
      }
    },
    /** Bytes that are held now. */
    held: () => all,
  }
}
export type AnswerBudget = ReturnType<typeof answerBudget>
