import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { z } from 'zod'
import { BackupFailure } from './failures.js'

/** 64 MB and about 0.2 s for each guess. */
const cost = { N: 2 ** 16, r: 8, p: 1 }
const maxmem = 256 * 1024 * 1024

const bytes = z
  .base64()
  .max(10_000)
  .transform((text) => Buffer.from(text, 'base64'))

const sealed = z.object({
  kdf: z.literal('scrypt'),
  N: z.literal([2 ** 15, 2 ** 16, 2 ** 17]),
  r: z.literal(8),
  p: z.literal(1),
  salt: bytes,
  cipher: z.literal('aes-256-gcm'),
  nonce: bytes.refine(({ length }) => length === 12),
  tag: bytes.refine(({ length }) => length === 16),
  text: bytes,
})

const keyFrom = (passphrase: string, salt: Buffer, { N, r, p }: typeof cost): Promise<Buffer> =>
  new Promise((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, 32, { N, r, p, maxmem }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )

/** JSON that only the passphrase opens. */
export const sealSecret = async (secret: string, passphrase: string): Promise<string> => {
  const [salt, nonce] = [randomBytes(16), randomBytes(12)]
  const cipher = createCipheriv('aes-256-gcm', await keyFrom(passphrase, salt, cost), nonce)
  const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
  return JSON.stringify({
    kdf: 'scrypt',
    ...cost,
    salt: salt.toString('base64'),
    cipher: 'aes-256-gcm',
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    text: text.toString('base64'),
  })
}

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** @throws BackupFailure for another passphrase, and for what `sealSecret` did not make */
export const openSecret = async (json: string, passphrase: string): Promise<string> => {
  const read = sealed.safeParse(parsed(json))
  if (!read.success) throw new BackupFailure('The backup is damaged: its secret cannot be read.')
  const { salt, nonce, tag, text, N, r, p } = read.data
  const decipher = createDecipheriv('aes-256-gcm', await keyFrom(passphrase, salt, { N, r, p }), nonce)
  decipher.setAuthTag(tag)
  try {
    return Buffer.concat([decipher.update(text), decipher.final()]).toString('utf8')
  } catch {
    throw new BackupFailure(
      'The passphrase is wrong: it does not open the secret of this backup. Give the one that the backup was made with.',
    )
  }
}
