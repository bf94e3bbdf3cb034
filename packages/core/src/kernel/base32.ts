const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Base32 without padding, in lower case (RFC 4648 section 6): for places that ignore case, such as host names. */
export const toBase32 = (bytes: Uint8Array): string => {
  let text = ''
  let waiting = 0
  let bits = 0
  for (const byte of bytes) {
    waiting = ((waiting << 8) | byte) & 0xfff
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(waiting >> (bits - 5)) & 31]
  }
  return bits > 0 ? text + alphabet[(waiting << (5 - bits)) & 31] : text
}

/** Decodes base32 in any case. Undefined if the text is not base32 or not the canonical encoding of its bytes. */
export const bytesOfBase32 = (text: string): Uint8Array | undefined => {
  const lower = text.toLowerCase()
  const bytes = new Uint8Array(Math.floor((lower.length * 5) / 8))
  let waiting = 0
  let bits = 0
  let at = 0
  for (const digit of lower) {
    const value = alphabet.indexOf(digit)
    if (value < 0) return undefined
    waiting = ((waiting << 5) | value) & 0xfff
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes[at] = (waiting >> bits) & 255
    at += 1
  }
  return toBase32(bytes) === lower ? bytes : undefined
}
