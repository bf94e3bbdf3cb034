import { type AddressInfo, connect, createServer } from 'node:net'
import { answerCalls } from './calls.js'

/** Stands between a server and MongoDB, and counts the commands that pass by their names (wire protocol, OP_MSG). */
const opMsg = 2013
const counts = new Map<string, number>()

/** What a driver asks by itself, whatever is done. */
const ofTheDriver = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'])

/** The name of the first element of the body: header 16, flags 4, kind 1, length 4, type 1. */
const commandName = (message: Buffer): string | undefined => {
  if (message.readInt32LE(12) !== opMsg || message[20] !== 0) return undefined
  const end = message.indexOf(0, 26)
  return message.toString('latin1', 26, end)
}

const counter = () => {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk: Buffer) => {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    while (rest.length >= 16) {
      const length = rest.readInt32LE(0)
      if (rest.length < length) return
      const name = commandName(rest.subarray(0, length))
      if (name !== undefined && !ofTheDriver.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1)
      rest = rest.subarray(length)
    }
  }
}

const calls = {
  /** Opens a port that leads to that server; only a server that stands alone tells clients of no other address. */
  listen: (host: string, port: number): Promise<number> =>
    new Promise((resolve) => {
      const server = createServer((client) => {
        const behind = connect(port, host)
        const count = counter()
        client.on('data', count)
        client.on('error', () => behind.destroy())
        behind.on('error', () => client.destroy())
        client.pipe(behind)
        behind.pipe(client)
      })
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
    }),
  reset: () => counts.clear(),
  counts: () => Object.fromEntries(counts),
}
export type TapCalls = typeof calls

answerCalls(calls)
