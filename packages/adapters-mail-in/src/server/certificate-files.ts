import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Log } from '@posthorn/core'

/** PEM: a certificate with its chain, and its key. */
export type CertificateFiles = { readonly cert: string; readonly key: string }

export type Certificate = { readonly cert: Buffer; readonly key: Buffer }

export type WatchedCertificate = { readonly current: Certificate; readonly close: () => void }

export class UnusableCertificate extends Error {
  override readonly name = 'UnusableCertificate'
}

/** In bytes; certificate chains have about 8 KB. */
const largestFile = 1024 * 1024

const unusable = (message: string): never => {
  throw new UnusableCertificate(message)
}

const unreadable = (what: string, path: string, { code, message }: NodeJS.ErrnoException): never => {
  if (code === 'ENOENT' || code === 'ENOTDIR') return unusable(`There is no ${what} file ${path}.`)
  if (code === 'EACCES' || code === 'EPERM')
    return unusable(
      `This user (id ${process.getuid?.() ?? 'unknown'}) may not read the ${what} file ${path}. Give it read access to the file and to the directories above it.`,
    )
  return unusable(`The ${what} file ${path} cannot be read: ${message}`)
}

const contentOf = async (what: string, path: string): Promise<Buffer> => {
  const { size, isDirectory } = await stat(path).then(
    (found) => ({ size: found.size, isDirectory: found.isDirectory() }),
    (error) => unreadable(what, path, error),
  )
  if (isDirectory) return unusable(`The ${what} file ${path} is a directory. Name the file in it.`)
  if (size > largestFile) return unusable(`The ${what} file ${path} is larger than 1 MB, so it is another file.`)
  return readFile(path).catch((error) => unreadable(what, path, error))
}

const certificateIn = (path: string, content: Buffer): X509Certificate => {
  try {
    return new X509Certificate(content)
  } catch {
    return unusable(`The file ${path} contains no certificate in PEM format (-----BEGIN CERTIFICATE-----).`)
  }
}

const keyIn = (path: string, content: Buffer): KeyObject => {
  if (/^(?:-----BEGIN ENCRYPTED PRIVATE KEY-----|Proc-Type: 4,ENCRYPTED)/m.test(content.toString('latin1')))
    return unusable(`The key ${path} is protected by a password. Remove it: openssl pkey -in ${path} -out <new file>`)
  try {
    return createPrivateKey(content)
  } catch {
    return unusable(`The file ${path} contains no private key in PEM format (-----BEGIN PRIVATE KEY-----).`)
  }
}

/** @throws UnusableCertificate if a file is missing, unreadable or invalid, or they do not match */
export const readCertificate = async (files: CertificateFiles): Promise<Certificate> => {
  const [cert, key] = [await contentOf('certificate', files.cert), await contentOf('key', files.key)]
  if (!certificateIn(files.cert, cert).checkPrivateKey(keyIn(files.key, key)))
    return unusable(`The key ${files.key} does not belong to the certificate ${files.cert}.`)
  try {
    createSecureContext({ cert, key })
  } catch (error) {
    return unusable(`The certificate ${files.cert} cannot be used: ${(error as Error).message}`)
  }
  return { cert, key }
}

/** What clients will object to; undefined for a certificate that is valid now. */
export const certificateWarning = ({ cert }: Pick<Certificate, 'cert'>, now: Date): string | undefined => {
  const { validFrom, validTo } = new X509Certificate(cert)
  if (now > new Date(validTo)) return `it expired on ${new Date(validTo).toISOString()}, so that clients refuse it`
  if (now < new Date(validFrom))
    return `it is valid from ${new Date(validFrom).toISOString()} on; check this machine’s clock`
  return undefined
}

/** Also changes if a symbolic link gets another target, as on renewal. */
const stampOf = async ({ cert, key }: CertificateFiles): Promise<string> => {
  const found = await Promise.all([stat(cert), stat(key)])
  return found.map(({ dev, ino, size, mtimeMs }) => [dev, ino, size, mtimeMs].join(':')).join(' ')
}

/**
 * Checks every `every` ms. Keeps the last certificate while the files are unusable, and logs once. Warns of an expired one.
 * @throws UnusableCertificate at the start
 */
export const watchCertificate = async (
  files: CertificateFiles,
  {
    port,
    changed,
    log,
    every = 60_000,
  }: {
    port: 'bounce port' | 'submission port' | 'public port'
    changed: (certificate: Certificate) => void
    log: Log
    every?: number | undefined
  },
): Promise<WatchedCertificate> => {
  const warn = (certificate: Certificate): void => {
    const reason = certificateWarning(certificate, new Date())
    if (reason !== undefined)
      log('warn', `Clients do not trust the certificate of the ${port}`, { cert: files.cert, reason })
  }
  // The stamp first: a file that changes while it is read is then read again.
  let seen = await stampOf(files).catch(() => '')
  const current = await readCertificate(files)
  warn(current)
  let lastLogged = ''
  const look = async (): Promise<void> => {
    const stamp = await stampOf(files)
    if (stamp === seen) return
    const another = await readCertificate(files)
    changed(another)
    seen = stamp
    log('info', `The certificate of the ${port} was replaced`, { cert: files.cert })
    warn(another)
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
