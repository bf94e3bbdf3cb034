import type { Response } from 'express'
import type { Owner, Payer } from './owner.js'

export type ShareLimits = {
  /** What all owners together may hold, in bytes or requests. */
  readonly total: number
  /** What one account may hold; visitors hold parts of it. */
  readonly share: number
}

/** What each payer holds of a limited resource. */
export const shares = ({ total, share }: ShareLimits) => {
  const held = new Map<string, number>()
  let all = 0

  const heldBy = ({ key }: Payer): number => held.get(key) ?? 0
  const partOf = ({ part }: Payer): number => Math.max(1, share * part)

  const change = (owner: Owner, n: number): void => {
    all += n
    for (const payer of owner) {
      const left = heldBy(payer) + n
      if (left > 0) held.set(payer.key, left)
      else held.delete(payer.key)
    }
  }

  /** The first payer without room for `n` more. */
  const full = (owner: Owner, n: number): Payer | undefined => owner.find((payer) => heldBy(payer) + n > partOf(payer))

  const fits = (owner: Owner, n: number, most = total): boolean => all + n <= most && !full(owner, n)

  return {
    full,
    fits,
    change,
    /** Takes `n` if every payer has room and the total stays within `most`. */
    take: (owner: Owner, n: number, most = total): boolean => {
      if (!fits(owner, n, most)) return false
      change(owner, n)
      return true
    },
    heldBy,
    /** The most that the owner can ever hold. */
    most: (owner: Owner): number => Math.min(total, ...owner.map(partOf)),
    all: () => all,
  }
}

type Waiting = { readonly take: () => boolean; readonly settle: (isTaken: boolean) => void }

/** Requests that wait for room, in order of arrival. */
export const waitingRequests = () => {
  const waiting = new Set<Waiting>()
  return {
    /** False after `patience` ms, or if the client disconnects. */
    take: (response: Response, take: () => boolean, patience?: number): boolean | Promise<boolean> =>
      take() ||
      new Promise((resolve) => {
        const settle = (isTaken: boolean) => {
          clearTimeout(timer)
          response.off('close', giveUp)
          waiting.delete(one)
          resolve(isTaken)
        }
        const giveUp = () => settle(false)
        const one: Waiting = { take, settle }
        const timer = patience === undefined ? undefined : setTimeout(giveUp, patience)
        response.once('close', giveUp)
        waiting.add(one)
      }),
    /** Call this after a release. */
    retry: (): void => {
      for (const one of waiting) if (one.take()) one.settle(true)
    },
  }
}
