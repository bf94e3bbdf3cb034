import type { Socket } from 'node:net'
import type { Response } from 'express'

/** By the connection, who wants to hear of its end. */
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
 * Tells once when the response is over: at once where it is already. Where a connection ends, Node closes the response that is being
 * written alone, and tells nothing to those of pipelined requests that wait behind it: they are over with the connection.
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
