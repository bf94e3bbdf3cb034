import type { Socket } from 'node:net'
import { ipAddressBlock } from '@posthorn/core/ports/transport'

export type InboundConnectionLimits = {
  readonly connections: number
  readonly connectionsPerCaller: number
  /** Of a connection, in ms. */
  readonly lifetime: number
  /** When all places are taken, connections older than this, in ms, are closed. */
  readonly replaceableAfter: number
  /** Bytes besides messages. */
  readonly commands: number
}

type Admitted = { readonly caller: string; readonly since: number; carried: number }
/** By which a session identifies its connection. */
export type Peer = { readonly remoteAddress: string; readonly remotePort: number }

/** Factor between a message's bytes and those on the wire: doubled dots, and TLS. */
const wireFactor = 2

/** In ms; shorter if `lifetime` is. */
const checkInterval = 1_000

/**
 * AcceptedCredentials connections before any data is exchanged. Checks all whenever one arrives and every second, because the
 * upgrade to TLS loses the close event.
 */
export const smtpConnectionAdmission = (
  { connections, connectionsPerCaller, lifetime, replaceableAfter, commands }: InboundConnectionLimits,
  now: () => number,
) => {
  const admitted = new Map<Socket, Admitted>()
  let timer: NodeJS.Timeout | undefined

  const closeConnection = (socket: Socket): void => {
    admitted.delete(socket)
    socket.destroy()
  }

  const stopChecks = (): void => {
    clearInterval(timer)
    timer = undefined
  }

  const check = (): void => {
    const at = now()
    for (const [socket, { since, carried }] of admitted)
      if (socket.destroyed || at - since >= lifetime || socket.bytesRead - wireFactor * carried > commands)
        closeConnection(socket)
    if (admitted.size === 0) stopChecks()
  }

  /** Closes the oldest connection if it has had its time. */
  const makeRoom = (at: number): boolean => {
    const [first] = admitted
    if (!first || at - first[1].since < replaceableAfter) return false
    closeConnection(first[0])
    return true
  }

  const socketOf = ({ remoteAddress, remotePort }: Peer): Socket | undefined => {
    const block = ipAddressBlock(remoteAddress)
    for (const socket of admitted.keys())
      if (socket.remotePort === remotePort && ipAddressBlock(socket.remoteAddress ?? '') === block) return socket
    return undefined
  }

  return {
    /** `caller`: who pays for the connection. */
    refusal: (socket: Socket, caller = ipAddressBlock(socket.remoteAddress ?? '')): string | undefined => {
      const at = now()
      let ofCaller = 0
      for (const [one, { caller: its }] of admitted) {
        if (one.destroyed) admitted.delete(one)
        else if (its === caller) ofCaller += 1
      }
      if (ofCaller >= connectionsPerCaller) return 'Too many connections'
      if (admitted.size >= connections && !makeRoom(at)) return 'Too many connections in total, please try again later'
      admitted.set(socket, { caller, since: at, carried: 0 })
      timer ??= setInterval(check, Math.min(checkInterval, lifetime)).unref()
      return undefined
    },
    /** Counts received bytes as a message's, not as commands. */
    carried: (peer: Peer, bytes: number): void => {
      const socket = socketOf(peer)
      const one = socket && admitted.get(socket)
      if (one) one.carried += bytes
    },
    /** Stops counting the connection here, and returns it. */
    release: (peer: Peer): Socket | undefined => {
      const socket = socketOf(peer)
      if (socket) admitted.delete(socket)
      return socket
    },
    closeConnection: (peer: Peer): void => {
      const socket = socketOf(peer)
      if (socket) closeConnection(socket)
    },
    connections: (): number => admitted.size,
    close: stopChecks,
  }
}
