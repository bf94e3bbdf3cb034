import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Log } from '@posthorn/core'

/** Files in PEM: a certificate with those that vouch for it, and its key. */
export type CertificateFiles = { readonly cert: string; readonly key: string }

/** A certificate and its key, which fit each other. */
export type Certificate = { readonly cert: Buffer; readonly key: Buffer }

export type WatchedCertificate = { readonly current: Certificate; readonly close: () => void }

/** A link that leads to another file, as those who renew certificates leave it, makes another stamp as well. */
const stampOf = async ({ cert, key }: CertificateFiles): Promise<string> => {
  const found = await Promise.all([stat(cert), stat(key)])
  return found.map(({ dev, ino, size, mtimeMs }) => [dev, ino, size, mtimeMs].join(':')).join(' ')
}

/** @throws Error where a file cannot be read, is none of a certificate or of a key, or the two do not fit each other */
const readCertificate = async (files: CertificateFiles): Promise<Certificate> => {
  const [cert, key] = await Promise.all([readFile(files.cert), readFile(files.key)])
  createSecureContext({ cert, key })
  return { cert, key }
}

/**
 * The certificate of these files, looked at once a minute unless `every` says otherwise, in milliseconds: `changed` hears of another one.
 * Files that cannot be used, as while one of the two is written, leave the last that could; the log says so once.
 * @throws Error where they cannot be used now
 */
export const watchCertificate = async (
  files: CertificateFiles,
  {
    changed,
    log,
    every = 60_000,
  }: { changed: (certificate: Certificate) => void; log: Log; every?: number | undefined },
): Promise<WatchedCertificate> => {
  const unusable = ({ message }: Error): never => {
    throw new Error(`The certificate ${files.cert} with the key ${files.key} cannot be used: ${message}`)
  }
  let seen = await stampOf(files).catch(unusable)
  const current = await readCertificate(files).catch(unusable)
  let told = ''
  const look = async (): Promise<void> => {
    const stamp = await stampOf(files)
    if (stamp === seen) return
    changed(await readCertificate(files))
    seen = stamp
    log('info', 'The bounce port has another certificate', { cert: files.cert })
  }
  const timer = setInterval(() => {
    look().then(
      () => {
        told = ''
      },
      (error: Error) => {
        if (error.message !== told)
          log('error', 'The certificate of the bounce port cannot be read; the last one stays', {
            cert: files.cert,
            reason: error.message,
          })
        told = error.message
      },
    )
  }, every).unref()
  return { current, close: () => clearInterval(timer) }
}
