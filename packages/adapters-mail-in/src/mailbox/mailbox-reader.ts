import { setTimeout as rest } from 'node:timers/promises'
import type { ImapFlow } from 'imapflow'
import { type MailIngestOptions, mailIngest } from '../mail-ingest.js'
import { mostParsedBytes } from '../returned/message.js'

const loadImapClient = () =>
  import('imapflow').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(
      'Reading a mailbox needs the package imapflow, which is not installed. Install it where Posthorn is: npm install imapflow@2 (with -g for a global installation)',
    )
  })

/** @throws Error if the IMAP client, which only installations with a mailbox need, is not installed */
export const assertImapClient = async (): Promise<void> => {
  await loadImapClient()
}

export type MailboxSettings = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte. Otherwise requires STARTTLS, except on this machine. */
  readonly secure: boolean
  readonly user: string
  readonly pass: string
  readonly path: string
}

/** The message never contains the password. */
export class WrongMailboxUrl extends Error {
  override readonly name = 'WrongMailboxUrl'
}

const standardPorts = { 'imaps:': 993, 'imap:': 143 } as const

const isProtocol = (text: string): text is keyof typeof standardPorts => Object.hasOwn(standardPorts, text)

/** `imaps://user:password@host:993/INBOX`, or `imap://…`; percent-encoded. @throws WrongMailboxUrl */
export const mailboxUrl = (text: string): MailboxSettings => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !isProtocol(url.protocol))
    throw new WrongMailboxUrl('expected a URL that begins with imaps:// or imap://')
  const { hostname, username, password, pathname, search, hash } = url
  if (hostname === '' || username === '' || password === '')
    throw new WrongMailboxUrl('expected a host, a user and a password, as in imaps://user:password@host/INBOX')
  if (search !== '' || hash !== '') throw new WrongMailboxUrl('expected nothing after the name of the mailbox')
  try {
    return {
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || standardPorts[url.protocol],
      secure: url.protocol === 'imaps:',
      user: decodeURIComponent(username),
      pass: decodeURIComponent(password),
      path: decodeURIComponent(pathname.slice(1)) || 'INBOX',
    }
  } catch {
    throw new WrongMailboxUrl('expected user, password and mailbox percent-encoded')
  }
}

const fields: readonly string[] = [
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'x-delivered-to',
  'x-rcpt-to',
  'to',
]

const address = /[\w.+-]{1,64}@[\w.-]{1,255}/g

const mostAddresses = 50
const longestHead = 64 * 1024

export const returnedMailRecipients = (raw: Uint8Array): readonly string[] => {
  const text = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, longestHead)).toString('latin1')
  const end = text.search(/\r?\n\r?\n/)
  const found: string[] = []
  let isWanted = false
  for (const line of (end < 0 ? text : text.slice(0, end)).split('\n')) {
    const goesOn = line.startsWith(' ') || line.startsWith('\t')
    if (!goesOn) isWanted = fields.includes(line.slice(0, Math.max(0, line.indexOf(':'))).toLowerCase())
    if (!isWanted) continue
    for (const [one] of line.matchAll(address)) {
      found.push(one)
      if (found.length >= mostAddresses) return found
    }
  }
  return found
}

export type MailboxReaderOptions = MailIngestOptions & {
  readonly mailbox: MailboxSettings
  /** Polling interval if the server reports no new messages, in ms; a minute by default. */
  readonly every?: number
  /** Delay before a reconnection, in ms; doubles up to `longestPause`. */
  readonly firstPause?: number
  readonly longestPause?: number
  readonly limits?: Partial<MailboxServerLimits>
}

export type MailboxServerLimits = {
  /** In ms. */
  readonly commandTime: number
  /** From the server, during one command or one IDLE. */
  readonly commandBytes: number
}

/** 4 MB are sixteen times as much as is requested. */
const standardLimits: MailboxServerLimits = { commandTime: 60_000, commandBytes: 4 * 1024 * 1024 }

/** In bytes: the numbers of 100,000 unread messages, which take 100 MB when parsed. */
const longestLine = 1024 * 1024

/** Interval of checks, and minimum time between two polls, in ms. */
const checkTime = 200

/** In ms. */
const logoutTime = 1_000

const pollLimit = 10_000
/** RFC 9051, section 9. */
const isUid = (uid: number) => Number.isInteger(uid) && uid > 0 && uid < 2 ** 32

export type MailboxReader = { readonly close: () => Promise<void> }

const batchSize = 50

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

const wakeableTimer = () => {
  let wake = () => {}
  let rang = false
  return {
    wake: () => {
      rang = true
      wake()
    },
    wait: async (milliseconds: number): Promise<void> => {
      if (!rang)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      rang = false
    },
  }
}

/** Marks a message as read once its effect is stored; may read it again. Reconnects after a failure. */
export const mailboxReader = ({
  mailbox,
  every = 60_000,
  firstPause = 1_000,
  longestPause = 5 * 60_000,
  limits: given = {},
  ...options
}: MailboxReaderOptions): MailboxReader => {
  const { take } = mailIngest(options)
  const { log } = options
  const { host, port, secure, user, pass, path } = mailbox
  const pollTimer = wakeableTimer()
  const limits = { ...standardLimits, ...given }
  let closing = false
  /** Logs once per outage and once per recovery. */
  let isDown = false
  let current: ImapFlow | undefined
  let pause = firstPause

  /** Closes the connection if the server takes too long or sends too much. */
  const bounded = async <T>(client: ImapFlow, command: () => Promise<T>, time = limits.commandTime): Promise<T> => {
    const began = performance.now()
    const before = client.stats().received
    let check: NodeJS.Timeout | undefined
    const exceeded = new Promise<never>((_resolve, reject) => {
      check = setInterval(() => {
        const isSlow = performance.now() - began > time
        if (!isSlow && client.stats().received - before <= limits.commandBytes) return
        client.close()
        reject(new Error(isSlow ? 'the server did not answer in time' : 'the server sent too much'))
      }, checkTime)
    })
    try {
      return await Promise.race([command(), exceeded])
    } finally {
      clearInterval(check)
    }
  }

  const takeOne = async (client: ImapFlow, uid: number): Promise<void> => {
    const source = await bounded(client, async () => {
      const piece = { start: 0, maxLength: mostParsedBytes }
      const message = await client.fetchOne(String(uid), { source: piece }, { uid: true })
      return message ? message.source?.subarray(0, mostParsedBytes) : undefined
    })
    if (!source) return
    try {
      await take(source, returnedMailRecipients(source))
    } catch (error) {
      log('error', 'A returned message could not be recorded', { uid, error })
      return
    }
    await bounded(client, () => client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true }))
  }

  /** Oldest first. Messages not stored or marked wait for the next poll. */
  const takeUnread = async (client: ImapFlow): Promise<void> => {
    const handled = new Set<number>()
    while (handled.size < pollLimit) {
      const unread = (await bounded(client, () => client.search({ seen: false }, { uid: true }))) || []
      const next = unread.filter((uid) => isUid(uid) && !handled.has(uid)).slice(0, batchSize)
      if (next.length === 0) return
      for (const uid of next) {
        if (closing) return
        handled.add(uid)
        await takeOne(client, uid)
      }
    }
  }

  const session = async (): Promise<void> => {
    const { ImapFlow } = await loadImapClient()
    const client = new ImapFlow({
      host,
      port,
      secure,
      ...(!secure && !isLoopback(host) && { doSTARTTLS: true }),
      auth: { user, pass },
      logger: false,
      clientInfo: { name: 'Posthorn' },
      disableAutoIdle: true,
      maxLiteralSize: 2 * mostParsedBytes,
      maxLineLength: longestLine,
      maxResponseSize: 2 * longestLine,
    })
    current = client
    let isOpen = true
    let isRead = false
    let trouble: Error | undefined
    client.on('error', (error: Error) => {
      trouble = error
    })
    client.on('close', () => {
      isOpen = false
      pollTimer.wake()
    })
    client.on('exists', () => pollTimer.wake())
    try {
      await bounded(client, () => client.connect())
      const lock = await bounded(client, () => client.getMailboxLock(path))
      try {
        while (isOpen && !closing) {
          await takeUnread(client)
          if (!isOpen || closing) break
          if (!isRead && !isDown) log('info', 'The bounce mailbox is connected', { host, path })
          isRead = true
          // The server reports new messages during IDLE; the next command ends it.
          client.idle().catch(() => undefined)
          await bounded(client, () => pollTimer.wait(every), Number.POSITIVE_INFINITY)
          if (isOpen && isDown) log('info', 'The bounce mailbox is connected again', { host, path })
          if (isOpen) {
            isDown = false
            pause = firstPause
          }
          // Limits polls even if the server keeps reporting messages.
          if (!closing) await rest(checkTime)
        }
      } finally {
        lock.release()
      }
      if (trouble) throw trouble
      if (isOpen) await bounded(client, () => client.logout(), logoutTime)
    } finally {
      client.close()
      current = undefined
    }
  }

  const running = (async () => {
    while (!closing) {
      const reason = await session().then(
        () => 'the server closed the connection',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      if (closing) return
      if (!isDown) log('warn', 'The bounce mailbox cannot be read', { host, path, reason, againAfter: pause })
      isDown = true
      await pollTimer.wait(pause)
      pause = Math.min(pause * 2, longestPause)
    }
  })()

  return {
    /** Finishes the current message, for at most five seconds. */
    close: async () => {
      closing = true
      pollTimer.wake()
      const cut = setTimeout(() => current?.close(), 5_000)
      await running.finally(() => clearTimeout(cut))
    },
  }
}
