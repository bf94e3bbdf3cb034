import { createCipheriv, createDecipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { CredentialHasher, NewId, Secrets, SigningPurpose } from '@posthorn/core/ports/runtime'

/** Ids of the right format that count up from 1. Different `maker` numbers give different ids. */
export const countingIds = (maker = 0): NewId => {
  let n = 0
  return () => {
    n += 1
    return `${maker.toString(16).padStart(8, '0')}${n.toString(16).padStart(16, '0')}`
  }
}

/** Real cryptography with well-known keys; counters instead of random values. Only for tests. */
export const fakeSecrets = (key = 'known to everybody'): Secrets => {
  const next = countingIds()
  const hash = (text: string) => createHash('sha256').update(text)
  const counted = (bytes: number) =>
    hash(next())
      .digest('hex')
      .repeat(Math.ceil(bytes / 32))
  const random = (bytes: number) => Buffer.from(counted(bytes), 'hex').subarray(0, bytes)
  const sign = (text: string, purpose: SigningPurpose = 'link') =>
    createHmac('sha256', `${purpose}: ${key}`).update(text).digest('base64url')
  const sealing = hash(key).digest()
  const verifies = (text: string, signature: string, purpose?: SigningPurpose) => {
    const [right, given] = [Buffer.from(sign(text, purpose)), Buffer.from(signature)]
    return right.length === given.length && timingSafeEqual(right, given)
  }

  return {
    random: (bytes) => random(bytes).toString('base64url'),
    digest: (text) => hash(text).digest('hex'),
    sign,
    signed: (text, purpose) => {
      const body = Buffer.from(text).toString('base64url')
      return `${body}.${sign(body, purpose)}`
    },
    hmac: (own, text) => createHmac('sha256', own).update(text).digest('base64'),
    verifies,
    verifiesShort: (text, start, purpose) => {
      const [right, given] = [Buffer.from(sign(text, purpose).slice(0, 16)), Buffer.from(start)]
      return right.length === given.length && timingSafeEqual(right, given)
    },
    seal: (plain) => {
      const nonce = random(12)
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce)
      const sealed = [cipher.update(plain, 'utf8'), cipher.final()]
      return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url')
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, 12), { authTagLength: 16 })
        decipher.setAuthTag(bytes.subarray(12, 28))
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
      } catch {
        throw new Error('None of the accepted secrets sealed it')
      }
    },
  }
}

/** Password hashes that anybody can read, and real one-time codes. `generation` below 2 marks a hash as outdated. */
export const fastCredentials = (generation = 2): CredentialHasher & { readonly compared: (string | undefined)[] } => {
  const compared: (string | undefined)[] = []
  return {
    /** Undefined for a comparison without hash. */
    compared,
    hash: async (password) => `plain$${generation}$${password}`,
    matches: async (password, hash) => {
      compared.push(hash)
      const [, made, ...rest] = (hash ?? '').split('$')
      return { isRight: hash !== undefined && rest.join('$') === password, isOutdated: Number(made) !== generation }
    },
    hmacSha1: (key, message) => createHmac('sha1', key).update(message).digest(),
  }
}
