import { isIP } from 'node:net'
import { plainAddress } from '@posthorn/core/ports/transport'
import type { Request } from 'express'

const shape = /^(?:\[([0-9a-f:.]+)\]|([^:/?#@\s[\]]+))(?::\d{1,5})?$/

/** The host name in a Host field (RFC 9110 section 7.2), without the port and a trailing dot; undefined if the field is malformed. */
export const nameInHost = (host: string | undefined): string | undefined => {
  const [, ipv6, name] = shape.exec((host ?? '').toLowerCase()) ?? []
  return ipv6 ?? name?.replace(/\.$/, '')
}

/** Whether the name is `localhost` or a loopback address. */
export const isLoopback = (name: string): boolean => {
  const plain = plainAddress(name)
  return plain === 'localhost' || plain === '::1' || (isIP(plain) === 4 && plain.startsWith('127.'))
}

/**
 * Whether the request's Host field is the address that its connection arrived at, `localhost` on a loopback address, or one of `names`.
 * This stops DNS rebinding: a page whose own domain resolves to this server sends another Host.
 */
export const namesThisServer = (
  { headers, socket }: Pick<Request, 'headers' | 'socket'>,
  names: ReadonlySet<string>,
): boolean => {
  const name = nameInHost(headers.host)
  const at = plainAddress(socket.localAddress ?? '')
  return name !== undefined && (names.has(name) || name === at || (isLoopback(name) && isLoopback(at)))
}
