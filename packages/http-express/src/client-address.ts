import { isIP, isIPv6 } from 'node:net'
import type { Request } from 'express'

/** An IPv4 address is the same inside IPv6 (RFC 4291 section 2.5.5.2). */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))

/** The first four groups of an IPv6 address, however it is spelled. */
const networkOf = (address: string): string => {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')]
  // The last 32 bits may be spelled as an IPv4 address, which is one group here and two there.
  const spelled = front.length + back.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - spelled)
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...back]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Who shares a bucket: an IPv4 address, or the /64 of an IPv6 address, all of which one customer of a network has. */
export const addressBlock = (address: string): string => {
  const plain = plainAddress(address)
  return isIPv6(plain) ? networkOf(plain) : plain
}

/**
 * The address block that a request comes from: the connection's, or what the proxies that are trusted say (Express's
 * `trust proxy`). What they say counts only where it is an address.
 */
export const clientBlock = ({ ip = '', socket }: Pick<Request, 'ip' | 'socket'>): string =>
  addressBlock(isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip)
