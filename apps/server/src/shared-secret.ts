import type { Files, Secrets } from '@posthorn/core/ports/runtime'

/** This process has another secret than the processes that share its store. */
export class OtherSecret extends Error {
  override readonly name = 'OtherSecret'
}

const key = 'server/secret-check'
const text = 'posthorn'

const opens = (secrets: Secrets, sealed: Uint8Array): boolean => {
  try {
    return secrets.open(new TextDecoder().decode(sealed)) === text
  } catch {
    return false
  }
}

/**
 * Ensures that all processes on one store have the same secret, so that each recognises the others' links. The first process stores a value
 * sealed with its secret; a process that has that secret among its older ones seals the value again with its newest.
 * @throws OtherSecret
 */
export const assertSharedSecret = async (files: Files, secrets: Secrets): Promise<void> => {
  const sealed = await files.get(key)
  if (sealed && !opens(secrets, sealed))
    throw new OtherSecret(
      'This database is in use with another secret. Set POSTHORN_SECRET to the same on every machine. Where one machine made its own, it is in the file “secret” of its data directory.',
    )
  await files.put(key, new TextEncoder().encode(secrets.seal(text)))
}
