import { isIPv6 } from 'node:net'

/** Who counts as one: an IPv4 address, or the /64 of an IPv6 address, all of which one customer of a network has. */
export const callerOf = (address: string): string => {
  const plain = address.replace(/^::ffff:/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)
  return [...front, ...Array.from({ length: zeros }, () => '0'), ...back]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}

const mostCallers = 10_000

/** So many a minute for each caller, as many at once; who has not been seen for longest is forgotten first. */
export const perMinute = (most: number, now: () => number) => {
  const buckets = new Map<string, { readonly left: number; readonly at: number }>()
  return (caller: string): boolean => {
    const at = now()
    const known = buckets.get(caller) ?? { left: most, at }
    const left = Math.min(most, known.left + ((at - known.at) / 60_000) * most)
    buckets.delete(caller)
    buckets.set(caller, { left: left >= 1 ? left - 1 : left, at })
    const [oldest] = buckets.keys()
    if (buckets.size > mostCallers && oldest !== undefined) buckets.delete(oldest)
    return left >= 1
  }
}
