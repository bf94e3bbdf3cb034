import type { Socket } from 'node:net'
import { callerOf } from './callers.js'

export type AdmissionLimits = {
  readonly connections: number
  readonly connectionsPerCaller: number
  /** Milliseconds that a connection may last. */
  readonly lifetime: number
  /** Milliseconds after which it gives its place to another where there is none left. */
  readonly givesWayAfter: number
}

type Inside = { readonly caller: string; readonly since: number }

/**
 * Who may come in, before a word is said. All are looked at whenever one comes, so that none is forgotten whose end nobody told: what
 * upgrades a connection to TLS takes all listeners off it.
 */
export const admission = (
  { connections, connectionsPerCaller, lifetime, givesWayAfter }: AdmissionLimits,
  now: () => number,
) => {
  const inside = new Map<Socket, Inside>()

  const leave = (socket: Socket): void => {
    inside.delete(socket)
    socket.destroy()
  }

  /** Ends the longest there is, where it has had its time. */
  const makeRoom = (at: number): boolean => {
    const [first] = inside
    if (!first || at - first[1].since < givesWayAfter) return false
    leave(first[0])
    return true
  }

  return {
    /** Why the connection may not come in; undefined where it may. */
    refusal: (socket: Socket): string | undefined => {
      const at = now()
      const caller = callerOf(socket.remoteAddress ?? '')
      let ofCaller = 0
      for (const [one, { caller: its }] of inside) {
        if (one.destroyed) inside.delete(one)
        else if (its === caller) ofCaller += 1
      }
      if (ofCaller >= connectionsPerCaller) return 'Too many connections'
      if (inside.size >= connections && !makeRoom(at)) return 'Too many connections of all, please come again later'
      inside.set(socket, { caller, since: at })
      setTimeout(() => leave(socket), lifetime).unref()
      return undefined
    },
  }
}
