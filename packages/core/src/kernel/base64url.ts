/** Text in UTF-8 as base64url without padding (RFC 4648 section 5; RFC 7515 section 2). */
export const toBase64url = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')

/** One byte for each character, whose code it is. */
const bytesOfBinary = (binary: string): Uint8Array => {
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i)
  return bytes
}

/** The bytes behind base64url; undefined for what is none. */
export const bytesOfBase64url = (text: string): Uint8Array | undefined => {
  if (!/^[\w-]*$/.test(text)) return undefined
  try {
    return bytesOfBinary(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return undefined
  }
}

/** The JSON behind base64url; undefined for what is none, or no UTF-8. */
export const jsonOfBase64url = (text: string): unknown => {
  const bytes = bytesOfBase64url(text)
  if (bytes === undefined) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** The bytes behind base64 with its padding (RFC 4648 section 4); undefined for what is none, and for another spelling of the same. */
export const bytesOfBase64 = (text: string): Uint8Array | undefined => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) return undefined
  const binary = atob(text)
  return btoa(binary) === text ? bytesOfBinary(binary) : undefined
}
