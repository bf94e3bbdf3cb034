import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A relay that takes every mail, and counts how often it took one for each recipient. */
export const startRelay = async () => {
  const taken = new Map<string, number>()
  let total = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData: (stream, { envelope }, done) => {
      stream.on('data', () => {})
      stream.on('end', () => {
        for (const { address } of envelope.rcptTo) taken.set(address, (taken.get(address) ?? 0) + 1)
        total += 1
        done()
      })
    },
  })
  // Whoever is killed leaves its connections open.
  server.on('error', () => undefined)
  const port = await new Promise<number>((resolve) => {
    const inner = server.listen(0, '127.0.0.1', () => resolve((inner.address() as AddressInfo).port))
  })
  return {
    url: `smtp://127.0.0.1:${port}`,
    /** Mails taken in all. */
    total: () => total,
    recipients: () => taken.size,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
export type Relay = Awaited<ReturnType<typeof startRelay>>

/**
 * Passes connections on to a server, and can cut all of them.
 * @param mostBytes of clients, after which they say nothing more
 */
export const startProxy = async (host: string, port: number, mostBytes = Number.POSITIVE_INFINITY) => {
  const sockets = new Set<Socket>()
  let bytes = 0
  const server = createServer((client) => {
    const behind = connect(port, host)
    client.on('data', (chunk) => {
      bytes += chunk.length
      if (bytes >= mostBytes) client.unpipe(behind).pause()
    })
    for (const [one, other] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Passes connections on to a server until a client sends that word; then nothing passes, in either direction, until `goOn`. */
export const startStallingProxy = async (host: string, port: number, word: string) => {
  const sockets = new Set<Socket>()
  let held: (() => void)[] | undefined
  let hasStalled = false
  const server = createServer((client) => {
    const behind = connect(port, host)
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => {
        if (!hasStalled && from === client && chunk.includes(word)) {
          hasStalled = true
          held = []
        }
        if (held) held.push(() => to.write(chunk))
        else to.write(chunk)
      })
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    hasStalled: () => hasStalled,
    goOn: (): void => {
      const writes = held ?? []
      held = undefined
      for (const write of writes) write()
    },
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
