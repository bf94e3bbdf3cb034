import type { Socket } from 'node:net'
import { addressBlock } from '@posthorn/core/ports'

export type AdmissionLimits = {
  readonly connections: number
  readonly connectionsPerCaller: number
  /** Milliseconds that a connection may last. */
  readonly lifetime: number
  /** Milliseconds after which it gives its place to another where there is none left. */
  readonly givesWayAfter: number
  /** Bytes of commands, beside those of messages, after which it has said enough. */
  readonly commands: number
}

type Inside = { readonly caller: string; readonly since: number; carried: number }
/** Whose connection it is, as its session knows it. */
type Peer = { readonly remoteAddress: string; readonly remotePort: number }

/** What a byte of a message may take on the wire: dots are doubled there, and TLS has its part. */
const mostOnTheWire = 2

/** How often is looked for connections that have had their time, in milliseconds, or as often as one may last. */
const lookEvery = 1_000

/**
 * Who may come in, before a word is said. All are looked at whenever one comes, and each second, so that none is forgotten whose end
 * nobody told: what upgrades a connection to TLS takes all listeners off it. Nothing is kept of those that have ended.
 */
export const admission = (
  { connections, connectionsPerCaller, lifetime, givesWayAfter, commands }: AdmissionLimits,
  now: () => number,
) => {
  /** The longest first. */
  const inside = new Map<Socket, Inside>()
  let looking: NodeJS.Timeout | undefined

  const leave = (socket: Socket): void => {
    inside.delete(socket)
    socket.destroy()
  }

  const rest = (): void => {
    clearInterval(looking)
    looking = undefined
  }

  const look = (): void => {
    const at = now()
    for (const [socket, { since, carried }] of inside)
      if (socket.destroyed || at - since >= lifetime || socket.bytesRead - mostOnTheWire * carried > commands)
        leave(socket)
    if (inside.size === 0) rest()
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
      const caller = addressBlock(socket.remoteAddress ?? '')
      let ofCaller = 0
      for (const [one, { caller: its }] of inside) {
        if (one.destroyed) inside.delete(one)
        else if (its === caller) ofCaller += 1
      }
      if (ofCaller >= connectionsPerCaller) return 'Too many connections'
      if (inside.size >= connections && !makeRoom(at)) return 'Too many connections of all, please come again later'
      inside.set(socket, { caller, since: at, carried: 0 })
      looking ??= setInterval(look, Math.min(lookEvery, lifetime)).unref()
      return undefined
    },
    /** So many bytes of what it has said are a message's. */
    carried: ({ remoteAddress, remotePort }: Peer, bytes: number): void => {
      const caller = addressBlock(remoteAddress)
      for (const [socket, one] of inside)
        if (socket.remotePort === remotePort && one.caller === caller) one.carried += bytes
    },
    /** Looks after nobody any more. */
    close: rest,
  }
}
