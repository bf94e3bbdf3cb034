/** IPv4-mapped IPv6 to IPv4 (RFC 4291 section 2.5.5.2). */
export const unmappedIpAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

const groupsOf = (part: string) => (part === '' ? [] : part.split(':'))

/** The first four groups of an IPv6 address in any spelling. */
const networkOf = (address: string): string => {
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const [front, back] = [groupsOf(head), groupsOf(tail ?? '')]
  // The last 32 bits may be written as an IPv4 address.
  const spelled = front.length + back.length + (address.includes('.') ? 1 : 0)
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - spelled)
  const groups = [...front, ...Array.from({ length: zeros }, () => '0'), ...back]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}

/** Addresses that count as one client: an IPv4 address, or an IPv6 /64, as providers assign them. */
export const ipAddressBlock = (address: string): string => {
  const plain = unmappedIpAddress(address)
  return plain.includes(':') ? networkOf(plain) : plain
}
