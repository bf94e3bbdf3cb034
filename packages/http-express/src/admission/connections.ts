import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { ipAddressBlock } from '@posthorn/core/ports/transport'

export type HttpConnectionLimits = {
  readonly total: number
  /** Trusted proxies are exempt. */
  readonly perBlock: number
}

/** File descriptors for other purposes. */
const reserved = {
  /** Streams, event loops, ports, modules. */
  process: 100,
  /** MongoDB's pool of 100 and monitors, or SQLite's files. */
  store: 120,
  /** SQLite's reader threads, and sandbox pipes. */
  readers: 40,
  /** Mails, attachments, images and exports. */
  outbox: 100,
  /** Connections to the relay or SES. */
  relay: 120,
  /** Feeds and DNS lookups. */
  feeds: 60,
  /** 200 to fast, 100 to slow receivers. */
  webhooks: 300,
  /** 50 for the bounce port, 150 for the submission port, 20 for metrics. */
  otherPorts: 220,
}
const allReserved = Object.values(reserved).reduce((sum, n) => sum + n, 0)

/** Up to 40 KB each for headers, 16 KB for a small body. */
const mostConnections = 4_000

/** `ulimit -n` on Linux. */
const openFiles = (): number => {
  try {
    const [, soft = ''] = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft) || 1_024
  } catch {
    return 1_024
  }
}

/** Within the limit of open files; a quarter per address block. */
export const connectionLimits = (
  given: Partial<HttpConnectionLimits> = {},
  files: () => number = openFiles,
): HttpConnectionLimits => {
  const left = () => Math.floor(Math.max(files() - allReserved, files() / 4))
  const { total = Math.min(mostConnections, left()) } = given
  return { total, perBlock: given.perBlock ?? Math.max(1, Math.ceil(total / 4)) }
}

type Connection = { readonly block: string; readonly orders: readonly Set<Socket>[]; bytes: number }

const bytesOf = ({ bytesRead, bytesWritten }: Socket): number => bytesRead + bytesWritten

/** Over a limit, replaces the least recently active idle connection of the block or of all; never one with a request in progress. */
export const connectionLimiter = (
  { total, perBlock }: HttpConnectionLimits,
  {
    trusts,
    isWorkedOn,
  }: { readonly trusts: (address: string) => boolean; readonly isWorkedOn: (socket: Socket) => boolean },
) => {
  const connections = new Map<Socket, Connection>()
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

  /** Closes the first idle connection; moves connections that transferred bytes to the end. */
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
    enter: (socket: Socket): void => {
      const address = socket.remoteAddress ?? ''
      const block = trusts(address) ? '' : ipAddressBlock(address)
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
    touch,
    count: () => connections.size,
  }
}
