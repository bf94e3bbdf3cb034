import { createHmac, hash } from 'node:crypto'

const blockBytes = 64
const digestBytes = 32
/** In bytes; `createHmac` is faster for longer texts. */
const longest = 1_024
const mostBytesOfOne = 3

/** The key, each byte XORed with `byte`, then free room. */
const padded = (key: Uint8Array, byte: number, room: number): Buffer => {
  const block = Buffer.alloc(blockBytes + room, 0)
  for (let i = 0; i < blockBytes; i += 1) block[i] = (key[i] ?? 0) ^ byte
  return block
}

/**
 * HMAC-SHA-256 (RFC 2104) by a key of at most 64 bytes. Two plain hashes over precomputed key blocks take half the time
 * of an `Hmac`, and less garbage collection.
 */
export const hmacSha256 = (key: Uint8Array): ((text: string, encoding: 'base64url' | 'hex') => string) => {
  if (key.length > blockBytes) throw new Error(`A key has at most ${blockBytes} bytes.`)
  const inner = padded(key, 0x36, longest * mostBytesOfOne)
  const outer = padded(key, 0x5c, digestBytes)
  return (text, encoding) => {
    if (text.length > longest) return createHmac('sha256', key).update(text).digest(encoding)
    const end = blockBytes + inner.write(text, blockBytes)
    outer.write(hash('sha256', inner.subarray(0, end), 'binary'), blockBytes, 'binary')
    return hash('sha256', outer, encoding)
  }
}
