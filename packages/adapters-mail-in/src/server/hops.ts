/** RFC 5321 section 6.3: more means a loop. */
export const mostHops = 50

const headBytes = 64 * 1024

export const hopsIn = (message: Buffer): number => {
  const head = message.subarray(0, headBytes).toString('latin1')
  const end = head.indexOf('\r\n\r\n')
  const fields = `\r\n${end < 0 ? head : head.slice(0, end)}`.toLowerCase()
  return fields.split('\r\nreceived:').length - 1
}
