import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectTls } from 'node:tls'
import { ConnectionLost, type SmtpConnection, smtpChannelOverSocket } from './channel.js'
import type { OAuth2TokenSource } from './oauth2-tokens.js'
import { replyText, type SmtpReply } from './reply.js'
import type { SmtpSettings } from './smtp-settings.js'

export class NoSmtpSession extends Error {
  override readonly name = 'NoSmtpSession'
  readonly reply: SmtpReply | undefined

  constructor(message: string, reply?: SmtpReply) {
    super(message)
    this.reply = reply
  }
}

const refusedWith = (reply: SmtpReply, message: string) => new NoSmtpSession(`${message}: ${replyText(reply)}`, reply)

/** Greeted, encrypted and authenticated according to the settings. */
export type SmtpSession = {
  readonly channel: SmtpConnection
  /** RFC 2920. */
  readonly pipelining: boolean
  /** RFC 1870: undefined without SIZE, infinite if it states no limit. */
  readonly sizeLimit: number | undefined
}

/** Upper-case keywords with parameters (RFC 5321, section 4.1.1.1). */
type Extensions = ReadonlyMap<string, readonly string[]>

const extensionsOf = ({ lines }: SmtpReply): Extensions =>
  new Map(
    lines.slice(1).map((line) => {
      const [keyword = '', ...parameters] = line.trim().toUpperCase().split(/[ =]+/)
      return [keyword, parameters]
    }),
  )

const reached = (socket: Socket, event: 'connect' | 'secureConnect', timeout: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer)
      socket.destroy()
      reject(error)
    }
    const timer = setTimeout(() => fail(new Error(`no connection within ${timeout / 1000} s`)), timeout)
    socket.once('error', fail).once(event, () => {
      clearTimeout(timer)
      resolve(socket.off('error', fail))
    })
  })

const tlsOptions = ({ host, verify, ca }: SmtpSettings): ConnectionOptions => ({
  host,
  rejectUnauthorized: verify,
  ...(isIP(host) === 0 && { servername: host }),
  ...(ca !== undefined && { ca }),
})

const readBytes = 4_096

/** Reads into one reused buffer: by default, Node allocates 64 kB for each read. */
const connectedTcp = ({ host, port }: SmtpSettings): Socket => {
  const socket: Socket = connectTcp({
    host,
    port,
    onread: {
      buffer: Buffer.alloc(readBytes),
      callback: (length, bytes) => {
        socket.emit('data', bytes.subarray(0, length))
        return true
      },
    },
  })
  return socket
}

const connected = async (settings: SmtpSettings): Promise<Socket> => {
  const { port, secure, timeouts } = settings
  const socket = secure ? connectTls({ ...tlsOptions(settings), port }) : connectedTcp(settings)
  await reached(socket, secure ? 'secureConnect' : 'connect', timeouts.connect)
  return socket.setNoDelay(true).setKeepAlive(true, 60_000)
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

type TokenMechanism = {
  readonly initial: (user: string, token: string) => string
  /** Requests the final reply after a JSON error. */
  readonly afterError: string
}

const tokenMechanisms = ({ host, port }: SmtpSettings): Readonly<Record<string, TokenMechanism>> => ({
  // Microsoft and Google: https://developers.google.com/workspace/gmail/imap/xoauth2-protocol
  XOAUTH2: {
    initial: (user, token) => `user=${user}\x01auth=Bearer ${token}\x01\x01`,
    afterError: '',
  },
  // RFC 7628 section 3.1; escapes `=` and `,` of the user (RFC 5801 section 4).
  OAUTHBEARER: {
    initial: (user, token) =>
      `n,a=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},\x01host=${host}\x01port=${port}\x01auth=Bearer ${token}\x01\x01`,
    afterError: base64('\x01'),
  },
})

/** `status: 401, schemes: bearer`; empty if it is no such error. */
const tokenErrorIn = ({ lines: [line = ''] }: SmtpReply): string => {
  try {
    const said: unknown = JSON.parse(Buffer.from(line, 'base64').toString())
    return Object.entries(said as object)
      .filter(([, value]) => ['string', 'number'].includes(typeof value))
      .map(([key, value]) => `${key}: ${value}`)
      .join(', ')
      .slice(0, 200)
  } catch {
    return ''
  }
}

const sessionOpener = (settings: SmtpSettings, tokens: OAuth2TokenSource | undefined) => {
  const { user, pass, name, secure, requireTls, timeouts } = settings

  const command = async (channel: SmtpConnection, text: string, timeout = timeouts.command): Promise<SmtpReply> => {
    const [reply] = await channel.request(text, 1, timeout)
    return reply as SmtpReply
  }

  const greeted = async (channel: SmtpConnection) => {
    const reply = await command(channel, '', timeouts.greeting)
    if (reply.code !== 220) throw refusedWith(reply, 'The server does not want to talk')
  }

  const introduced = async (channel: SmtpConnection): Promise<Extensions> => {
    const extended = await command(channel, `EHLO ${name}\r\n`)
    if (extended.code === 250) return extensionsOf(extended)
    const plain = await command(channel, `HELO ${name}\r\n`)
    if (plain.code !== 250) throw refusedWith(plain, 'The server refuses EHLO and HELO')
    return new Map()
  }

  const encrypted = async (channel: SmtpConnection): Promise<SmtpConnection> => {
    const reply = await command(channel, 'STARTTLS\r\n')
    if (reply.code !== 220) throw refusedWith(reply, 'The server offers STARTTLS and refuses it')
    const socket = connectTls({ ...tlsOptions(settings), socket: channel.release() })
    return smtpChannelOverSocket(await reached(socket, 'secureConnect', timeouts.connect), timeouts.idle)
  }

  /** Replaces a refused token once. @throws NoSmtpSession, NoAccessToken */
  const authenticateByToken = async (
    channel: SmtpConnection,
    offered: readonly string[],
    source: OAuth2TokenSource,
  ): Promise<void> => {
    const mechanisms = tokenMechanisms(settings)
    const mechanism = Object.keys(mechanisms).find((one) => offered.includes(one))
    const { initial, afterError } = mechanisms[mechanism ?? ''] ?? {}
    if (mechanism === undefined || !initial)
      throw new NoSmtpSession(
        offered.length > 0
          ? `The server takes no access token: it offers ${offered.join(', ')}; XOAUTH2 and OAUTHBEARER are spoken here`
          : 'The server does not take an access token on this connection',
      )
    const attempt = async (token: string): Promise<readonly [SmtpReply, said: string]> => {
      const reply = await command(channel, `AUTH ${mechanism} ${base64(initial(user ?? '', token))}\r\n`)
      if (reply.code !== 334) return [reply, '']
      return [await command(channel, `${afterError}\r\n`), tokenErrorIn(reply)]
    }
    const token = await source.token()
    let [reply, said] = await attempt(token)
    if (reply.code === 535) [reply, said] = await attempt(await source.after(token))
    if (reply.code !== 235)
      throw refusedWith(reply, `The server refuses the access token of ${user}${said === '' ? '' : ` (${said})`}`)
  }

  /** RFC 4954: PLAIN first, as it takes one round trip. */
  const authenticate = async (channel: SmtpConnection, extensions: Extensions): Promise<void> => {
    const offered = extensions.get('AUTH') ?? []
    if (tokens) return authenticateByToken(channel, offered, tokens)
    if (user === undefined || pass === undefined) return
    let reply: SmtpReply
    if (offered.includes('PLAIN')) reply = await command(channel, `AUTH PLAIN ${base64(`\0${user}\0${pass}`)}\r\n`)
    else if (offered.includes('LOGIN')) {
      reply = await command(channel, 'AUTH LOGIN\r\n')
      if (reply.code === 334) reply = await command(channel, `${base64(user)}\r\n`)
      if (reply.code === 334) reply = await command(channel, `${base64(pass)}\r\n`)
    } else
      throw new NoSmtpSession(
        offered.length > 0
          ? `The server takes a password by ${offered.join(', ')} only; PLAIN and LOGIN are spoken here`
          : 'The server does not take a password on this connection',
      )
    if (reply.code !== 235) throw refusedWith(reply, 'The server refuses the user name or the password')
  }

  /** Calls `made` with every channel, so that the caller can close it. */
  return async (socket: Socket, made: (channel: SmtpConnection) => void): Promise<SmtpSession> => {
    let channel = smtpChannelOverSocket(socket, timeouts.idle)
    made(channel)
    await greeted(channel)
    let extensions = await introduced(channel)
    if (!secure && extensions.has('STARTTLS')) {
      channel = await encrypted(channel)
      made(channel)
      extensions = await introduced(channel)
    } else if (!secure && requireTls) throw new NoSmtpSession('The server offers no STARTTLS, and TLS is required')
    await authenticate(channel, extensions)
    const size = extensions.get('SIZE')
    return {
      channel,
      pipelining: extensions.has('PIPELINING'),
      sizeLimit: size && (Number(size[0] ?? 0) || Number.POSITIVE_INFINITY),
    }
  }
}

/** `tokens` replace a password. @throws NoSmtpSession */
export const openSmtpSession = async (settings: SmtpSettings, tokens?: OAuth2TokenSource): Promise<SmtpSession> => {
  let channel: SmtpConnection | undefined
  try {
    return await sessionOpener(settings, tokens)(await connected(settings), (made) => {
      channel = made
    })
  } catch (error) {
    channel?.fail('The connection was aborted')
    if (error instanceof NoSmtpSession) throw error
    throw new NoSmtpSession(
      error instanceof Error ? error.message : String(error),
      error instanceof ConnectionLost ? error.replies.at(-1) : undefined,
    )
  }
}
