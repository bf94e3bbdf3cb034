export type Mailbox = {
  readonly host: string
  readonly port: number
  /** TLS from the first byte; otherwise STARTTLS, without which the password is sent to this machine only. */
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
export const mailboxUrl = (text: string): Mailbox => {
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
