import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { addressBlock } from '@posthorn/core/ports/transport'

export type ConnectionLimits = {
  /** Open connections at the same time. */
  readonly total: number
  /** Open connections of one address block. Trusted proxies are exempt. */
  readonly perBlock: number
}

/** File descriptors reserved for other purposes. */
const reserved = {
  /** Standard streams, event loops, listening ports, modules. */
  process: 100,
  /** MongoDB's pool of 100 and its monitors, or SQLite's files. */
  store: 120,
  /** Files of SQLite's reader threads, and pipes of sandbox processes. */
  readers: 40,
  /** Mails, attachments, images and exports that are written or read. */
  outbox: 100,
  /** Connections to the relay or to SES. */
  relay: 120,
  /** Feeds and lookups of domains. */
  feeds: 60,
  /** 200 to fast and 100 to slow receivers. */
  webhooks: 300,
  /** 50 of the bounce port, 20 of the metrics. */
  otherPorts: 70,
}
const allReserved = Object.values(reserved).reduce((sum, n) => sum + n, 0)

/** Each takes up to 40 KB while its headers arrive, and 16 KB for a small body. */
const mostConnections = 4_000

/** `ulimit -n` on Linux; 1,024 elsewhere. */
const openFiles = (): number => {
  try {
    const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || 1_024
  } catch {
    return 1_024
  }
}

/** At most 4,000 connections, as the limit of open files permits; a quarter of them per address block. */
export const connectionLimits = (
  given: Partial<ConnectionLimits> = {},
  files: () => number = openFiles,
): ConnectionLimits => {
  const left = () => Math.floor(Math.max(files() - allReserved, files() / 4))
  const { total = Math.min(mostConnections, left()) } = given
  return { total, perBlock: given.perBlock ?? Math.max(1, Math.ceil(total / 4)) }
}

type Connection = { readonly block: string; readonly orders: readonly Set<Socket>[]; bytes: number }

const bytesOf = ({ bytesRead, bytesWritten }: Socket): number => bytesRead + bytesWritten

/**
 * Open connections. Over a limit, a new connection replaces the least recently active idle one, of its address block or of all. Connections
 * with a request in progress are never replaced.
 */
export const openConnections = (
  { total, perBlock }: ConnectionLimits,
  {
    trusts,
    isWorkedOn,
  }: { readonly trusts: (address: string) => boolean; readonly isWorkedOn: (socket: Socket) => boolean },
) => {
  const connections = new Map<Socket, Connection>()
  /** All connections, and those of each block, least recently active first. */
  const all = new Set<Socket>()
  const blocks = new Map<string, Set<Socket>>()

  const leave = (socket: Socket): void => {
    const connection = connections.get(socket)
    if (!connection) return
    connections.delete(socket)
    for (const order of connection.orders) order.delete(socket)
    if (blocks.get(connection.block)?.size === 0) blocks.delete(connection.block)
  }

  const touch = (socket: Socket): void => {
    const connection = connections.get(socket)
    if (!connection) return
    connection.bytes = bytesOf(socket)
    for (const order of connection.orders) {
      order.delete(socket)
      order.add(socket)
    }
  }

  const isIdle = (socket: Socket): boolean => connections.get(socket)?.bytes === bytesOf(socket) && !isWorkedOn(socket)

  /** Closes the first idle connection. Connections that moved bytes since the last check go to the end. */
  const makeRoom = (order: Set<Socket>): boolean => {
    let looks = 2 * order.size
    for (const socket of order) {
      if (isIdle(socket)) {
        leave(socket)
        socket.destroy()
        return true
      }
      looks -= 1
      if (looks === 0) return false
      touch(socket)
    }
    return false
  }

  return {
    /** Admits the connection, or closes it before reading a byte. */
    enter: (socket: Socket): void => {
      const address = socket.remoteAddress ?? ''
      const block = trusts(address) ? '' : addressBlock(address)
      const own = block === '' ? undefined : (blocks.get(block) ?? new Set())
      const hasRoom = (order: Set<Socket>, most: number) => order.size < most || makeRoom(order)
      if ((own && !hasRoom(own, perBlock)) || !hasRoom(all, total)) {
        socket.destroy()
        return
      }
      if (own) blocks.set(block, own)
      connections.set(socket, { block, orders: own ? [all, own] : [all], bytes: 0 })
      touch(socket)
      socket.once('close', () => leave(socket))
    },
    /** Marks the connection as active. */
    touch,
    count: () => connections.size,
  }
}
