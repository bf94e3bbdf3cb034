/** Where mail servers record the recipient, and senders of reports the addressee. */
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

/** Within the message's first bytes. */
const mostAddresses = 50
const longestHead = 64 * 1024

export const recipientsIn = (raw: Uint8Array): readonly string[] => {
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
