import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import type { Secrets, SigningPurpose } from '@posthorn/core/ports/runtime'

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
 * RFC 2104, key of at most 64 bytes. Two plain hashes over precomputed key blocks take half an `Hmac`'s time, and less garbage collection.
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

const nonceBytes = 12
const tagBytes = 16
const macBytes = 32
const shortMacBytes = 12

const derived = (secret: string, label: string) => Buffer.from(hkdfSync('sha256', secret, 'posthorn', label, 32))

type SigningKey = { readonly key: KeyObject; readonly sign: ReturnType<typeof hmacSha256> }

const signingKey = (key: Buffer): SigningKey => ({ key: createSecretKey(key), sign: hmacSha256(key) })

/**
 * The newest secret signs and seals; any verifies and opens. Every purpose has its own key (HKDF-SHA256, RFC 5869, salt `posthorn`, a label
 * for each purpose).
 * @throws Error without a secret, or if one has fewer than 16 characters
 */
export const nodeSecrets = (secrets: readonly string[]): Secrets => {
  if (secrets.length === 0 || secrets.some((secret) => secret.length < 16))
    throw new Error('A secret has at least 16 characters.')
  const keysOf = (label: string) => secrets.map((secret) => derived(secret, label))
  // A changed label would invalidate all existing signatures.
  const signing: Readonly<Record<SigningPurpose, readonly SigningKey[]>> = {
    link: keysOf('sign').map(signingKey),
    captcha: keysOf('captcha').map(signingKey),
    challenge: keysOf('challenge').map(signingKey),
    'operator-token': keysOf('operator-token').map(signingKey),
    'return-address': keysOf('return-address').map(signingKey),
    tracking: keysOf('tracking').map(signingKey),
    'domain-ownership': keysOf('domain-ownership').map(signingKey),
  }
  const sealing = keysOf('seal')
  const newest = <T>(keys: readonly T[]): T => keys[0] as T
  const mac = (key: KeyObject | Uint8Array | string, text: string) => createHmac('sha256', key).update(text).digest()
  const sign = (text: string, purpose: SigningPurpose = 'link') => newest(signing[purpose]).sign(text, 'base64url')

  const signedByAny = (keys: readonly SigningKey[], text: string, signature: string, bytes = macBytes): boolean => {
    const given = Buffer.from(signature, 'base64url')
    return (
      given.toString('base64url') === signature &&
      keys.some(({ key }) => {
        const right = mac(key, text).subarray(0, bytes)
        return right.length === given.length && timingSafeEqual(right, given)
      })
    )
  }

  const openWith = (key: Buffer, bytes: Buffer): string => {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
    decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString('utf8')
  }

  return {
    random: (bytes) => randomBytes(bytes).toString('base64url'),
    digest: (text) => hash('sha256', text, 'hex'),
    sign,
    signed: (text, purpose) => {
      const body = Buffer.from(text).toString('base64url')
      return `${body}.${sign(body, purpose)}`
    },
    hmac: (key, text) => mac(key, text).toString('base64'),
    verifies: (text, signature, purpose = 'link') => signedByAny(signing[purpose], text, signature),
    verifiesShort: (text, start, purpose = 'link') => signedByAny(signing[purpose], text, start, shortMacBytes),
    seal: (plain) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', newest(sealing), nonce)
      const text = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString('base64url')
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url')
      for (const key of sealing) {
        try {
          return openWith(key, bytes)
        } catch {}
      }
      throw new Error('None of the known secrets opens this value.')
    },
  }
}
