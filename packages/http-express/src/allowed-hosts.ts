import { isIP } from 'node:net'
import { plainAddress } from '@posthorn/core/ports'
import type { Request } from 'express'

const shape = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s[\]]+))(?::\d{1,5})?$/

/** The name in a Host field (RFC 9110 section 7.2), without its port; undefined for what is none. */
export const nameInHost = (host: string | undefined): string | undefined => {
  const [, ipv6, name] = shape.exec((host ?? '').toLowerCase()) ?? []
  return ipv6 ?? name?.replace(/\.$/, '')
}

/** Whether an address, or the name `localhost`, means this machine and nobody else's. */
export const isLoopback = (name: string): boolean => {
  const plain = plainAddress(name)
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

/**
 * Whether the request names this server by an address that its connection came in at, by `localhost` where that is a loopback
 * address, or by one of `names`. A page whose own name was made to resolve to this server (DNS rebinding) names it otherwise.
 */
export const namesThisServer = (
  { headers, socket }: Pick<Request, 'headers' | 'socket'>,
  names: ReadonlySet<string>,
): boolean => {
  const name = nameInHost(headers.host)
  const at = plainAddress(socket.localAddress ?? '')
  return name !== undefined && (names.has(name) || name === at || (isLoopback(name) && isLoopback(at)))
}
