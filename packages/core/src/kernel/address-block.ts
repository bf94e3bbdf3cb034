/** Turns an IPv4-mapped IPv6 address into the IPv4 address (RFC 4291 section 2.5.5.2). */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))

/** The first four groups of an IPv6 address in any spelling. */
const networkOf = (address: string): string => {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')]
  // The last 32 bits may be written as an IPv4 address, which is one group here and two in IPv6.
  const spelled = front.length + back.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - spelled)
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...back]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/**
 * The key under which addresses count as one client: the IPv4 address, or the /64 of an IPv6 address, because providers assign a /64 per
 * customer.
 */
export const addressBlock = (address: string): string => {
  const plain = plainAddress(address)
  return plain.includes(':') ? networkOf(plain) : plain
}
