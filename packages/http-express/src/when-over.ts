import type { Socket } from 'node:net'
import type { Response } from 'express'

/** Listeners for the end of each connection. */
const ofConnections = new WeakMap<Socket, (() => void)[]>()

const endOf = (socket: Socket): (() => void)[] => {
  const known = ofConnections.get(socket)
  if (known) return known
  const waiting: (() => void)[] = []
  ofConnections.set(socket, waiting)
  socket.once('close', () => {
    for (const tell of [...waiting]) tell()
  })
  return waiting
}

/**
 * Calls `tell` once when the response is over, immediately if it already is. When a connection ends, Node closes only the response that is
 * being written, and does not notify those of pipelined requests behind it; they end with the connection.
 */
export const whenOver = (response: Response, tell: () => void): void => {
  const { socket } = response.req
  if (response.closed || response.destroyed || socket.destroyed) {
    tell()
    return
  }
  const waiting = endOf(socket)
  const once = () => {
    const place = waiting.indexOf(once)
    if (place < 0) return
    waiting.splice(place, 1)
    tell()
  }
  waiting.push(once)
  response.once('close', once)
}
