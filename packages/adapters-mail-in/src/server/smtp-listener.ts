import type { AddressInfo, Socket } from 'node:net'
import type { Log } from '@posthorn/core'
import type { SMTPServer, SMTPServerOptions } from 'smtp-server'
import { type CertificateFiles, watchCertificate } from './certificate-files.js'

export type SmtpListenerOptions = {
  readonly port: number
  readonly host: string
  /** For STARTTLS, which is not offered without one. Checked for changes every `every` ms. */
  readonly certificate?: (CertificateFiles & { readonly every?: number }) | undefined
  readonly log: Log
}

export type SmtpListener = {
  readonly port: number
  /** Finishes current messages; after five seconds closes the rest by force. */
  readonly close: () => Promise<void>
}

export const smtpRefusalError = (responseCode: number, message: string) =>
  Object.assign(new Error(message), { responseCode })

/**
 * `refusal` decides before any data is exchanged.
 * @throws Error if the port or the certificate cannot be used
 */
export const smtpListener = async (
  name: 'bounce port' | 'submission port',
  { port, host, certificate, log }: SmtpListenerOptions,
  refusal: (socket: Socket) => string | undefined,
  optionsOf: (hasCertificate: boolean) => SMTPServerOptions,
): Promise<SmtpListener> => {
  const module = await import('smtp-server')
  const watched =
    certificate &&
    (await watchCertificate(certificate, {
      port: name,
      changed: (another) => server.updateSecureContext(another),
      log,
      every: certificate.every,
    }))
  const server: SMTPServer = new module.SMTPServer({
    ...watched?.current,
    disableReverseLookup: true,
    closeTimeout: 5_000,
    ...optionsOf(watched !== undefined),
  })
  server.on('error', (error) => log('debug', `A connection to the ${name} failed`, { reason: error.message }))
  const inner = server.server
  const [serve] = inner.listeners('connection')
  inner.removeAllListeners('connection')
  inner.on('connection', (socket: Socket) => {
    const reason = refusal(socket)
    if (reason === undefined) return serve?.call(inner, socket)
    socket.on('error', () => undefined)
    socket.end(`421 4.7.0 ${reason}\r\n`, () => socket.destroy())
  })

  await new Promise<void>((resolve, reject) => {
    inner.once('error', reject)
    server.listen(port, host, () => {
      inner.off('error', reject)
      resolve()
    })
  }).catch((error: unknown) => {
    watched?.close()
    throw error
  })
  let closing: Promise<void> | undefined
  return {
    port: (inner.address() as AddressInfo).port,
    close: () => {
      watched?.close()
      closing ??= new Promise<void>((resolve) => server.close(() => resolve()))
      return closing
    },
  }
}
