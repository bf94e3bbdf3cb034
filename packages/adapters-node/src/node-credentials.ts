import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { busy, type CredentialHasher } from '@posthorn/core/ports/runtime'

/** scrypt (RFC 7914) with 32 MB: as strong as OWASP's first choice of 128 MB. */
const current = { logN: 15, r: 8, p: 3 } as const
type Parameters = { readonly logN: number; readonly r: number; readonly p: number }

const saltBytes = 16
const keyBytes = 32
/** Waiting hashes; each takes about 0.2 s. */
const mostWaiting = 50

const derived = (password: string, salt: Buffer, { logN, r, p }: Parameters): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const options = { N: 2 ** logN, r, p, maxmem: 256 * 2 ** logN * r }
    // Keyboards compose accents differently (RFC 8265 section 4).
    scrypt(password.normalize('NFC'), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)))
  })

const textOf = ({ logN, r, p }: Parameters, salt: Buffer, key: Buffer) =>
  `scrypt$${logN}$${r}$${p}$${salt.toString('base64url')}$${key.toString('base64url')}`

const stored = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/

const parsedHash = (hash: string) => {
  const [, logN, r, p, salt = '', key = ''] = stored.exec(hash) ?? []
  if (logN === undefined) throw new Error('The stored password hash has an unknown format.')
  const parameters = { logN: Number(logN), r: Number(r), p: Number(p) }
  return { parameters, salt: Buffer.from(salt, 'base64url'), key: Buffer.from(key, 'base64url') }
}

/** Passwords by scrypt, one at a time, in Node's thread pool. */
export const scryptCredentialHasher = (parameters: Parameters = current): CredentialHasher => {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  const oneAtATime = (password: string, salt: Buffer, given: Parameters): Promise<Buffer> => {
    if (waiting >= mostWaiting) throw busy('Too many people are signing in. Retry in a few seconds.')
    waiting += 1
    const made = last
      .then(() => derived(password, salt, given))
      .finally(() => {
        waiting -= 1
      })
    last = made.catch(() => undefined)
    return made
  }
  /** Compared with if there is no hash, so that the answer takes as long. */
  const nobody = textOf(parameters, randomBytes(saltBytes), randomBytes(keyBytes))

  return {
    hash: async (password) => {
      const salt = randomBytes(saltBytes)
      return textOf(parameters, salt, await oneAtATime(password, salt, parameters))
    },
    matches: async (password, hash) => {
      const { parameters: given, salt, key } = parsedHash(hash ?? nobody)
      const isRight = timingSafeEqual(await oneAtATime(password, salt, given), key) && hash !== undefined
      const isOutdated = given.logN !== parameters.logN || given.r !== parameters.r || given.p !== parameters.p
      return { isRight, isOutdated }
    },
    hmacSha1: (key, message) => createHmac('sha1', key).update(message).digest(),
  }
}
