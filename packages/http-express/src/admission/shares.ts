import type { Response } from 'express'
import type { RequestPayers, SharePayer } from './owner.js'

export type ShareLimits = {
  /** Bytes or requests of all owners. */
  readonly total: number
  /** For one account; visitors get parts of it. */
  readonly share: number
}

export const ownerShareLimiter = ({ total, share }: ShareLimits) => {
  const held = new Map<string, number>()
  let all = 0

  const heldBy = ({ key }: SharePayer): number => held.get(key) ?? 0
  const partOf = ({ part }: SharePayer): number => Math.max(1, share * part)

  const change = (owner: RequestPayers, n: number): void => {
    all += n
    for (const payer of owner) {
      const left = heldBy(payer) + n
      if (left > 0) held.set(payer.key, left)
      else held.delete(payer.key)
    }
  }

  const full = (owner: RequestPayers, n: number): SharePayer | undefined =>
    owner.find((payer) => heldBy(payer) + n > partOf(payer))

  const fits = (owner: RequestPayers, n: number, most = total): boolean => all + n <= most && !full(owner, n)

  return {
    full,
    fits,
    change,
    /** If every payer has room and the total stays within `most`. */
    take: (owner: RequestPayers, n: number, most = total): boolean => {
      if (!fits(owner, n, most)) return false
      change(owner, n)
      return true
    },
    heldBy,
    /** The most that the owner can ever hold. */
    most: (owner: RequestPayers): number => Math.min(total, ...owner.map(partOf)),
    all: () => all,
  }
}

type Waiting = { readonly take: () => boolean; readonly settle: (isTaken: boolean) => void }

export const requestQueue = () => {
  const waiting = new Set<Waiting>()
  return {
    /** False after `patience` ms, or on a disconnect. */
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
    /** Call after a release. */
    retry: (): void => {
      for (const one of waiting) if (one.take()) one.settle(true)
    },
  }
}
