import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Log } from '@posthorn/core'

/** PEM: a certificate with its chain, and its key. */
export type CertificateFiles = { readonly cert: string; readonly key: string }

export type Certificate = { readonly cert: Buffer; readonly key: Buffer }

export type WatchedCertificate = { readonly current: Certificate; readonly close: () => void }

/** Also changes if a symbolic link gets another target, as on renewal. */
const stampOf = async ({ cert, key }: CertificateFiles): Promise<string> => {
  const found = await Promise.all([stat(cert), stat(key)])
  return found.map(({ dev, ino, size, mtimeMs }) => [dev, ino, size, mtimeMs].join(':')).join(' ')
}

/** @throws Error if a file cannot be read or is invalid, or the two do not match */
export const readCertificate = async (files: CertificateFiles): Promise<Certificate> => {
  const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)])
  createSecureContext({ cert, key })
  return { cert, key }
}

/**
 * Checks the files every `every` ms and calls `changed` with a new certificate. While the files are unusable, the last
 * usable certificate stays, and the log says so once.
 * @throws Error if the files are unusable at the start
 */
export const watchCertificate = async (
  files: CertificateFiles,
  {
    port,
    changed,
    log,
    every = 60_000,
  }: {
    /** Names it in the log. */
    port: 'bounce port' | 'submission port'
    changed: (certificate: Certificate) => void
    log: Log
    every?: number | undefined
  },
): Promise<WatchedCertificate> => {
  const unusable = ({ message }: Error): never => {
    throw new Error(`The certificate ${files.cert} with the key ${files.key} cannot be used: ${message}`)
  }
  let seen = await stampOf(files).catch(unusable)
  const current = await readCertificate(files).catch(unusable)
  let lastLogged = ''
  const look = async (): Promise<void> => {
    const stamp = await stampOf(files)
    if (stamp === seen) return
    changed(await readCertificate(files))
    seen = stamp
    log('info', `The certificate of the ${port} was replaced`, { cert: files.cert })
  }
  const timer = setInterval(() => {
    look().then(
      () => {
        lastLogged = ''
      },
      (error: Error) => {
        if (error.message !== lastLogged)
          log('error', `The new certificate of the ${port} cannot be used; the previous one stays`, {
            cert: files.cert,
            reason: error.message,
          })
        lastLogged = error.message
      },
    )
  }, every).unref()
  return { current, close: () => clearInterval(timer) }
}
