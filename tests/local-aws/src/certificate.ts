import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

/** ASN.1 in DER (X.690), limited to what a certificate needs. */
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

const extension = (id: readonly number[], value: Uint8Array) => sequence(der(0x06, Buffer.from(id)), der(0x04, value))
const authority = extension([0x55, 0x1d, 0x13], sequence(der(0x01, Buffer.from([0xff]))))
/** RFC 5280, 4.2.2.1: the URL of the issuer's certificate. */
const issuerAt = (address: string) =>
  extension(
    [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x01, 0x01],
    sequence(
      sequence(
        der(0x06, Buffer.from([0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x30, 0x02])),
        der(0x86, Buffer.from(address)),
      ),
    ),
  )

export type SigningCertificate = {
  readonly privateKey: KeyObject
  readonly pem: string
  readonly commonName: string
}

const day = 24 * 60 * 60_000

/** Takes a third of a second. */
export const rsaKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })

/**
 * An RSA key and its X.509 certificate, valid from yesterday for `days` (default 365). `issuer` signs it, or the key itself. `isAuthority`
 * makes it a CA; `issuerUrl` is the URL of its issuer's certificate; `keys` are new by default.
 */
export const signingCertificate = ({
  commonName = 'sns.amazonaws.com',
  days = 365,
  now = new Date(),
  issuer,
  isAuthority = false,
  issuerUrl,
  keys: { privateKey, publicKey } = rsaKeys(),
}: {
  readonly commonName?: string
  readonly days?: number
  readonly now?: Date
  readonly issuer?: SigningCertificate
  readonly isAuthority?: boolean
  readonly issuerUrl?: string
  readonly keys?: ReturnType<typeof rsaKeys>
} = {}): SigningCertificate => {
  const validity = sequence(utcTime(new Date(now.getTime() - day)), utcTime(new Date(now.getTime() + days * day)))
  const extensions = [isAuthority ? authority : [], issuerUrl === undefined ? [] : issuerAt(issuerUrl)].flat()
  const certified = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    sha256WithRsa,
    named(issuer?.commonName ?? commonName),
    validity,
    named(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(0xa3, sequence(...extensions))]),
  )
  const signature = sign('sha256', certified, issuer?.privateKey ?? privateKey)
  const whole = sequence(certified, sha256WithRsa, bitString(signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  const pem = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  return { privateKey, pem, commonName }
}
