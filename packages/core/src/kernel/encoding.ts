const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Lower case, without padding (RFC 4648 section 6): for host names, which ignore case. */
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

/** Undefined unless it is the canonical encoding of its bytes, in any case. */
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

/** Without padding (RFC 4648 section 5; RFC 7515 section 2). */
export const textToBase64url = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

const bytesOfBinary = (binary: string): Uint8Array => {
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** Undefined if the text is not base64url. */
export const bytesOfBase64url = (text: string): Uint8Array | undefined => {
  if (!/^[\w-]*$/.test(text)) return undefined
  try {
    return bytesOfBinary(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return undefined
  }
}

/** Undefined if the text is not base64url, UTF-8 or JSON. */
export const jsonOfBase64url = (text: string): unknown => {
  const bytes = bytesOfBase64url(text)
  if (bytes === undefined) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** Padded (RFC 4648 section 4). Undefined unless it is the canonical encoding of its bytes. */
export const bytesOfBase64 = (text: string): Uint8Array | undefined => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  const binary = atob(text)
  return btoa(binary) === text ? bytesOfBinary(binary) : undefined
}
