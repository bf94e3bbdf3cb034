import type { Files, Secrets } from '@posthorn/core/ports'

/** This process has another secret than those it shares its store with. */
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
 * Holds all processes on one store to the same secret: links that one signs have to be known to the others. The first to come says
 * which it is, by something sealed with it; whoever has it among its older ones seals it anew with the newest.
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
