import type { ImapFlow } from 'imapflow'
import { readBytes } from '../returned/message.js'
import { type MailInOptions, mailTaking } from '../taking.js'
import type { Mailbox } from './mailbox-url.js'
import { recipientsIn } from './recipients.js'

export type MailboxReaderOptions = MailInOptions & {
  readonly mailbox: Mailbox
  /** Milliseconds until the mailbox is looked at again where the server tells of no new message; a minute unless given. */
  readonly every?: number
  /** Milliseconds until it connects again, twice as many each time, up to `longestPause`. */
  readonly firstPause?: number
  readonly longestPause?: number
}

export type MailboxReader = { readonly close: () => Promise<void> }

/** So many messages are asked for at once. */
const batchSize = 50

const isLoopback = (host: string) => host === 'localhost' || host === '::1' || host.startsWith('127.')

/** Waits so long, or until somebody rings; who rang while nobody waited is heard, too. */
const alarm = () => {
  let wake = () => {}
  let rang = false
  return {
    ring: () => {
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

/**
 * Reads the messages of a mailbox of its own that are not marked as read, now and whenever new ones come, and marks each when what
 * follows from it is recorded. A connection that breaks is made again; what was taken and could not be marked is taken again, which
 * changes nothing.
 */
export const mailboxReader = ({
  mailbox,
  every = 60_000,
  firstPause = 1_000,
  longestPause = 5 * 60_000,
  ...options
}: MailboxReaderOptions): MailboxReader => {
  const { take } = mailTaking(options)
  const { log } = options
  const { host, port, secure, user, pass, path } = mailbox
  const bell = alarm()
  let closing = false
  let current: ImapFlow | undefined
  let pause = firstPause

  const takeOne = async (client: ImapFlow, uid: number): Promise<void> => {
    const message = await client.fetchOne(String(uid), { source: { start: 0, maxLength: readBytes } }, { uid: true })
    const source = message ? message.source : undefined
    // It was removed since, or holds nothing.
    if (!source) return
    try {
      await take(source, recipientsIn(source))
    } catch (error) {
      log('error', 'A message that came back could not be recorded', { uid, error })
      return
    }
    await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })
  }

  /** All that is unread, the oldest first, each once in a look: what could not be recorded, or marked, stays for the next. */
  const takeUnread = async (client: ImapFlow): Promise<void> => {
    const taken = new Set<number>()
    for (;;) {
      const unread = (await client.search({ seen: false }, { uid: true })) || []
      const next = unread.filter((uid) => !taken.has(uid)).slice(0, batchSize)
      if (next.length === 0) return
      for (const uid of next) {
        if (closing) return
        taken.add(uid)
        await takeOne(client, uid)
      }
    }
  }

  const session = async (): Promise<void> => {
    const { ImapFlow } = await import('imapflow')
    const client = new ImapFlow({
      host,
      port,
      secure,
      ...(!secure && !isLoopback(host) && { doSTARTTLS: true }),
      auth: { user, pass },
      logger: false,
      clientInfo: { name: 'Posthorn' },
      disableAutoIdle: true,
    })
    current = client
    let isOpen = true
    let trouble: Error | undefined
    client.on('error', (error: Error) => {
      trouble = error
    })
    client.on('close', () => {
      isOpen = false
      bell.ring()
    })
    client.on('exists', () => bell.ring())
    try {
      await client.connect()
      const lock = await client.getMailboxLock(path)
      try {
        log('info', 'The mailbox of bounces is read', { host, path })
        pause = firstPause
        while (isOpen && !closing) {
          await takeUnread(client)
          if (!isOpen || closing) break
          // The server tells of new messages while it is idled for; the next command ends that.
          client.idle().catch(() => undefined)
          await bell.wait(every)
        }
      } finally {
        lock.release()
      }
      if (trouble) throw trouble
      if (isOpen) await client.logout()
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
      log('warn', 'The mailbox of bounces cannot be read now', { host, path, reason, againAfter: pause })
      await bell.wait(pause)
      pause = Math.min(pause * 2, longestPause)
    }
  })()

  return {
    /** Finishes the message that is being taken, and ends the connection; after five seconds it is cut off. */
    close: async () => {
      closing = true
      bell.ring()
      const cut = setTimeout(() => current?.close(), 5_000)
      await running.finally(() => clearTimeout(cut))
    },
  }
}
