import type { Socket } from 'node:net'
import { ipAddressBlock } from '@posthorn/core/ports/transport'

export type InboundConnectionLimits = {
  readonly connections: number
  readonly connectionsPerCaller: number
  /** Of a connection, in ms. */
  readonly lifetime: number
  /** In ms: at the limit, a new connection replaces one older than this. */
  readonly replaceableAfter: number
  /** Bytes besides messages. */
  readonly commands: number
}

type Admitted = { readonly caller: string; readonly since: number; carried: number }
export type SmtpPeer = { readonly remoteAddress: string; readonly remotePort: number }

/** Bytes on the wire per message byte: doubled dots and TLS. */
const wireFactor = 2

/** In ms; at most `lifetime`. */
const checkInterval = 1_000

/** Decides before any data is exchanged. Polls, as the upgrade to TLS loses the close event. */
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

  const socketOf = ({ remoteAddress, remotePort }: SmtpPeer): Socket | undefined => {
    const block = ipAddressBlock(remoteAddress)
    for (const socket of admitted.keys())
      if (socket.remotePort === remotePort && ipAddressBlock(socket.remoteAddress ?? '') === block) return socket
    return undefined
  }

  return {
    /** `caller`: whose limit the connection counts against. */
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
    /** Excludes message bytes from the command limit. */
    carried: (peer: SmtpPeer, bytes: number): void => {
      const socket = socketOf(peer)
      const one = socket && admitted.get(socket)
      if (one) one.carried += bytes
    },
    release: (peer: SmtpPeer): Socket | undefined => {
      const socket = socketOf(peer)
      if (socket) admitted.delete(socket)
      return socket
    },
    closeConnection: (peer: SmtpPeer): void => {
      const socket = socketOf(peer)
      if (socket) closeConnection(socket)
    },
    connections: (): number => admitted.size,
    close: stopChecks,
  }
}
