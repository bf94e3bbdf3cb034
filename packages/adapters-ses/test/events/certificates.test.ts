import { X509Certificate } from 'node:crypto'
import { signingCertificate } from '@posthorn/local-aws'
import { describe, expect, it } from 'vitest'
import { snsSigningKeys } from '../../src/events/certificates.js'

const day = 24 * 60 * 60_000
const at = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem'
const issuerUrl = 'http://crt.r2m01.amazontrust.com/r2m01.cer'

const root = signingCertificate({ commonName: 'Root', isAuthority: true })
const middle = signingCertificate({ commonName: 'Middle', isAuthority: true, issuer: root })
const derOf = ({ pem }: { readonly pem: string }) => new X509Certificate(pem).raw

const keysWith = (files: Readonly<Record<string, string | Uint8Array>>, now = Date.now) => {
  const fetched: string[] = []
  const keyAt = snsSigningKeys({
    roots: [root.pem],
    now,
    fetchBytes: async (url) => {
      fetched.push(url)
      const file = files[url]
      if (file === undefined) throw new Error('it answered 404')
      return Buffer.from(file)
    },
  })
  return { keyAt, fetched }
}

describe('a signing certificate of Amazon SNS', () => {
  it.each(['sns.amazonaws.com', 'sns.eu-west-1.amazonaws.com'])('is accepted if it names %s', async (commonName) => {
    const leaf = signingCertificate({ commonName, issuer: root })
    const { keyAt } = keysWith({ [at]: leaf.pem })
    expect((await keyAt(at)).asymmetricKeyType).toBe('rsa')
  })

  it.each(['s3.amazonaws.com', 'sns.us-east-1.amazonaws.com', '*.amazonaws.com', 'evil.example'])(
    'is refused if it names %s',
    async (commonName) => {
      const { keyAt } = keysWith({ [at]: signingCertificate({ commonName, issuer: root }).pem })
      await expect(keyAt(at)).rejects.toMatchObject({ kind: 'forbidden', message: expect.stringContaining('name') })
    },
  )

  it('is refused if it is self-signed', async () => {
    const { keyAt } = keysWith({ [at]: signingCertificate().pem })
    await expect(keyAt(at)).rejects.toMatchObject({ kind: 'forbidden', message: expect.stringContaining('authority') })
  })

  it('is refused if its issuer only has an authority’s name', async () => {
    const impostor = signingCertificate({ commonName: 'Root', isAuthority: true })
    const { keyAt } = keysWith({ [at]: signingCertificate({ issuer: impostor }).pem })
    await expect(keyAt(at)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('is refused if its issuer may not issue certificates', async () => {
    const customer = signingCertificate({ commonName: 'customer.example', issuer: root })
    const leaf = signingCertificate({ issuer: customer })
    const { keyAt } = keysWith({ [at]: `${leaf.pem}${customer.pem}` })
    await expect(keyAt(at)).rejects.toMatchObject({ kind: 'forbidden' })
  })

  it('may include the intermediate certificate', async () => {
    const leaf = signingCertificate({ issuer: middle })
    const { keyAt, fetched } = keysWith({ [at]: `${leaf.pem}${middle.pem}` })
    await keyAt(at)
    await keyAt(at)
    expect(fetched).toEqual([at])
  })

  it('has a missing intermediate fetched from the authority', async () => {
    const leaf = signingCertificate({ issuer: middle, issuerUrl })
    const { keyAt, fetched } = keysWith({ [at]: leaf.pem, [issuerUrl]: derOf(middle) })
    await keyAt(at)
    expect(fetched).toEqual([at, issuerUrl])
  })

  it('is retried while the authority does not respond', async () => {
    const { keyAt } = keysWith({ [at]: signingCertificate({ issuer: middle, issuerUrl }).pem })
    await expect(keyAt(at)).rejects.toMatchObject({ kind: 'unavailable' })
  })

  it.each(['http://127.0.0.1/r2m01.cer', 'http://evil.example/r2m01.cer', 'http://amazontrust.com.evil.example/x.cer'])(
    'causes no fetch from elsewhere: %s',
    async (elsewhere) => {
      const leaf = signingCertificate({ issuer: middle, issuerUrl: elsewhere })
      const { keyAt, fetched } = keysWith({ [at]: leaf.pem, [elsewhere]: derOf(middle) })
      await expect(keyAt(at)).rejects.toMatchObject({ kind: 'forbidden' })
      expect(fetched).toEqual([at])
    },
  )

  it('is valid as long as the whole chain', async () => {
    const short = signingCertificate({ commonName: 'Short', isAuthority: true, issuer: root, days: 2 })
    const leaf = signingCertificate({ issuer: short })
    let now = Date.now()
    const { keyAt } = keysWith({ [at]: `${leaf.pem}${short.pem}` }, () => now)
    await keyAt(at)
    now += 3 * day
    await expect(keyAt(at)).rejects.toMatchObject({ message: expect.stringContaining('not valid now') })
  })
})
