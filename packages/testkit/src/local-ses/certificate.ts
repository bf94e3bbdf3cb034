import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** ASN.1 in its distinguished encoding (X.690), as far as a certificate needs it. */
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), body])
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...bytes]), body])
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const utf8 = (text: string) => der(0x0c, Buffer.from(text))
const utcTime = (at: Date) => der(0x17, Buffer.from(at.toISOString().replace(/^20|[-T:]|\.\d{3}/g, '')))
const bitString = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes)

const commonNameId = Buffer.from([0x06, 0x03, 0x55, 0x04, 0x03])
const sha256WithRsa = sequence(
  Buffer.from([0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]),
  Buffer.from([0x05, 0x00]),
)
const named = (commonName: string) => sequence(der(0x31, sequence(commonNameId, utf8(commonName))))

export type SigningCertificate = { readonly privateKey: KeyObject; readonly pem: string }

const day = 24 * 60 * 60_000

/** An RSA key, and an X.509 certificate of it that nobody but itself has signed: good from yesterday on, for `days` unless given. */
export const signingCertificate = ({
  commonName = 'sns.amazonaws.com',
  days = 365,
  now = new Date(),
}: {
  readonly commonName?: string
  readonly days?: number
  readonly now?: Date
} = {}): SigningCertificate => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const validity = sequence(utcTime(new Date(now.getTime() - day)), utcTime(new Date(now.getTime() + days * day)))
  const certified = sequence(
    der(0x02, Buffer.from([1])),
    sha256WithRsa,
    named(commonName),
    validity,
    named(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
  )
  const whole = sequence(certified, sha256WithRsa, bitString(sign('sha256', certified, privateKey)))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return { privateKey, pem: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n` }
}
