import { Buffer } from 'node:buffer'
import { type AddressInfo, createServer, type Socket } from 'node:net'

type Stored = { readonly uid: number; readonly raw: Buffer; seen: boolean }

/**
 * As much of an IMAP server (RFC 9051) as a reader of one mailbox asks of it: it keeps messages and their marks over connections, tells
 * who idles of new ones, and breaks connections when it is told to.
 */
export const fakeImap = async ({ user = 'bounces', pass = 'a secret: 1', remembers = true } = {}) => {
  const messages: Stored[] = []
  const sockets = new Set<Socket>()
  const idling = new Set<Socket>()
  let connections = 0
  let fetched = 0
  let breakAfterFetch = false

  const setOf = (set: string) => {
    const [from = '1', to = from] = set.split(':')
    return messages.filter(({ uid }) => uid >= Number(from) && (to === '*' || uid <= Number(to)))
  }
  const flagsOf = ({ seen }: Stored) => (seen ? '(\\Seen)' : '()')
  const indexOf = (one: Stored) => messages.indexOf(one) + 1

  const fetch = (socket: Socket, set: string, asked: string) => {
    const [, start = '0', length = String(Number.MAX_SAFE_INTEGER)] = /<(\d+)\.(\d+)>/.exec(asked) ?? []
    for (const one of setOf(set)) {
      fetched += 1
      const piece = one.raw.subarray(Number(start), Number(start) + Number(length))
      const origin = asked.includes('<') ? `<${start}>` : ''
      socket.write(
        `* ${indexOf(one)} FETCH (UID ${one.uid} FLAGS ${flagsOf(one)} BODY[]${origin} {${piece.length}}\r\n`,
      )
      socket.write(piece)
      socket.write(')\r\n')
    }
  }

  const commands: Readonly<Record<string, (socket: Socket, rest: string) => string | undefined>> = {
    CAPABILITY: (socket) => {
      socket.write('* CAPABILITY IMAP4rev1 IDLE UIDPLUS\r\n')
      return 'OK done'
    },
    LOGIN: (_socket, rest) =>
      rest === `"${user}" "${pass}"` || rest === `${user} "${pass}"` ? 'OK in' : 'NO [AUTHENTICATIONFAILED] wrong',
    LIST: (socket) => {
      socket.write('* LIST () "/" "INBOX"\r\n')
      return 'OK done'
    },
    LSUB: () => 'OK done',
    SELECT: (socket) => {
      socket.write(`* FLAGS (\\Seen)\r\n* ${messages.length} EXISTS\r\n* 0 RECENT\r\n* OK [UIDVALIDITY 1] ok\r\n`)
      socket.write(`* OK [UIDNEXT ${messages.length + 1}] ok\r\n* OK [PERMANENTFLAGS (\\Seen)] ok\r\n`)
      return 'OK [READ-WRITE] done'
    },
    NOOP: () => 'OK done',
    CLOSE: () => 'OK done',
    LOGOUT: (socket) => {
      socket.write('* BYE bye\r\n')
      setImmediate(() => socket.end())
      return 'OK done'
    },
    'UID SEARCH': (socket) => {
      const unread = messages.filter(({ seen }) => !seen).map(({ uid }) => uid)
      socket.write(`* SEARCH ${unread.join(' ')}\r\n`)
      return 'OK done'
    },
    'UID FETCH': (socket, rest) => {
      const [set = '', ...asked] = rest.split(' ')
      fetch(socket, set, asked.join(' '))
      if (!breakAfterFetch) return 'OK done'
      breakAfterFetch = false
      socket.write('X1 OK done\r\n', () => socket.destroy())
      return undefined
    },
    'UID STORE': (socket, rest) => {
      for (const one of setOf(rest.split(' ')[0] ?? '')) {
        one.seen = remembers
        socket.write(`* ${indexOf(one)} FETCH (UID ${one.uid} FLAGS ${flagsOf(one)})\r\n`)
      }
      return 'OK done'
    },
  }

  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      sockets.delete(socket)
      idling.delete(socket)
    })
    socket.write('* OK [CAPABILITY IMAP4rev1 IDLE UIDPLUS] fake\r\n')
    let rest = ''
    let idleTag = ''
    socket.on('data', (bytes) => {
      rest += bytes.toString('latin1')
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (line.toUpperCase() === 'DONE') {
          idling.delete(socket)
          socket.write(`${idleTag} OK done\r\n`)
          continue
        }
        const [, tag = '', name = '', argument = ''] = /^(\S+) (UID \S+|\S+) ?(.*)$/i.exec(line) ?? []
        if (name.toUpperCase() === 'IDLE') {
          idleTag = tag
          idling.add(socket)
          socket.write('+ idling\r\n')
          continue
        }
        const answer = commands[name.toUpperCase()]
        const text = answer ? answer(socket, argument) : 'BAD unknown'
        if (text !== undefined && !socket.destroyed) socket.write(`${tag} ${text}\r\n`)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    port,
    url: `imap://${encodeURIComponent(user)}:${encodeURIComponent(pass)}@127.0.0.1:${port}/INBOX`,
    deliver: (raw: string | Buffer) => {
      messages.push({ uid: messages.length + 1, raw: Buffer.from(raw), seen: false })
      for (const socket of idling) socket.write(`* ${messages.length} EXISTS\r\n`)
    },
    unread: () => messages.filter(({ seen }) => !seen).length,
    idling: () => idling.size,
    connections: () => connections,
    open: () => sockets.size,
    fetched: () => fetched,
    /** Ends all connections at once. */
    breakOff: () => {
      for (const socket of sockets) socket.destroy()
    },
    /** Ends the next connection that was told a message, before it can mark it. */
    breakAfterNextFetch: () => {
      breakAfterFetch = true
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
