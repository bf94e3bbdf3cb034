import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './scene.js'

/** Opens a connection from that address of this machine, writes, and stays. */
export const holding = ({ target }: Stage, localAddress: string, written: string): Socket => {
  const { hostname: host, port } = new URL(target.base)
  const socket = connect({ port: Number(port), host, localAddress })
  socket.on('error', () => undefined)
  socket.on('connect', () => socket.write(written))
  // The end of a connection is noticed only by a client that reads.
  socket.resume()
  return socket
}

/** Holds many connections while `work` runs, by opening another after `again` milliseconds whenever one is closed. */
export const whileHeld = async <T>(
  open: () => Socket,
  connections: number,
  work: () => Promise<T>,
  again = 1_000,
): Promise<T> => {
  const sockets = new Set<Socket>()
  let isOver = false
  const add = (): void => {
    if (isOver) return
    const socket = open()
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      setTimeout(add, again)
    })
  }
  for (let n = 0; n < connections; n += 1) {
    add()
    // A thousand in a second: a faster flood of connections is for a firewall.
    if (n % 100 === 99) await sleep(100)
  }
  await sleep(1_000)
  try {
    return await work()
  } finally {
    isOver = true
    for (const socket of sockets) socket.destroy()
  }
}
