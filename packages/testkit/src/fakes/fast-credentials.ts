import { createHmac } from 'node:crypto'
import type { CredentialHasher } from '@posthorn/core/ports/runtime'

/** Readable hashes, real one-time codes. `generation` below 2 marks a hash as outdated. */
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
