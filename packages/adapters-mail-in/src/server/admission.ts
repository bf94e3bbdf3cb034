import type { Socket } from 'node:net'
import { addressBlock } from '@posthorn/core/ports/transport'

export type AdmissionLimits = {
  readonly connections: number
  readonly connectionsPerCaller: number
  /** Of a connection, in ms. */
  readonly lifetime: number
  /** When all places are taken, connections older than this, in ms, are closed. */
  readonly givesWayAfter: number
  /** Bytes besides messages. */
  readonly commands: number
}

type Inside = { readonly caller: string; readonly since: number; carried: number }
/** By which a session identifies its connection. */
type Peer = { readonly remoteAddress: string; readonly remotePort: number }

/** Factor between a message's bytes and those on the wire: doubled dots, and TLS. */
const mostOnTheWire = 2

/** In ms; shorter if `lifetime` is. */
const lookEvery = 1_000

/**
 * Admits connections before any data is exchanged. Checks all whenever one arrives and every second, because the
 * upgrade to TLS loses the close event.
 */
export const admission = (
  { connections, connectionsPerCaller, lifetime, givesWayAfter, commands }: AdmissionLimits,
  now: () => number,
) => {
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

  /** Closes the oldest connection if it has had its time. */
  const makeRoom = (at: number): boolean => {
    const [first] = inside
    if (!first || at - first[1].since < givesWayAfter) return false
    leave(first[0])
    return true
  }

  return {
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
    /** Counts received bytes as a message's, not as commands. */
    carried: ({ remoteAddress, remotePort }: Peer, bytes: number): void => {
      const caller = addressBlock(remoteAddress)
      for (const [socket, one] of inside)
        if (socket.remotePort === remotePort && one.caller === caller) one.carried += bytes
    },
    close: rest,
  }
}
