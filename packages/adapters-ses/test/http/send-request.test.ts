import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  deliveryTags,
  type SesSendEmailInput,
  sendRequestBuffer,
  sesRequestComposer,
} from '../../src/http/send-request.js'
import { awsRequestSigner, sha256 } from '../../src/http/signature.js'

const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }

type Made = {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string
}

/** The SDK's own request for the mail, as it would leave. */
const bySdk = async (
  { from, to, mime, configurationSet, tenant, ...mail }: SesSendEmailInput,
  {
    region = 'eu-west-1',
    endpoint = undefined as string | undefined,
    sessionToken = undefined as string | undefined,
  } = {},
): Promise<Made> => {
  let made: Made | undefined
  const client = new SESv2Client({
    region,
    maxAttempts: 1,
    credentials: { ...credentials, ...(sessionToken && { sessionToken }) },
    ...(endpoint && { endpoint }),
    requestHandler: {
      metadata: { handlerProtocol: 'http/1.1' },
      handle: async (request: unknown) => {
        made = request as Made
        return { response: { statusCode: 200, headers: {}, body: Buffer.from('{}') } }
      },
      destroy: () => {},
      updateHttpClientConfig: () => {},
      httpHandlerConfigs: () => ({}),
    },
  })
  await client.send(
    new SendEmailCommand({
      FromEmailAddress: from,
      Destination: { ToAddresses: [to] },
      Content: { Raw: { Data: Buffer.from(mime, 'latin1') } },
      EmailTags: deliveryTags(mail),
      ConfigurationSetName: configurationSet,
      TenantName: tenant,
    }),
  )
  client.destroy()
  if (!made) throw new Error('The SDK made no request')
  return made
}

/** A request as it leaves, read by its first empty line. */
const read = (request: Buffer) => {
  const end = request.indexOf('\r\n\r\n')
  const [line = '', ...fields] = request.toString('latin1', 0, end).split('\r\n')
  const headers = Object.fromEntries(
    fields.map((one) => [one.slice(0, one.indexOf(': ')), one.slice(one.indexOf(': ') + 2)]),
  )
  return { line, headers, body: request.subarray(end + 4) }
}

const ascii = (most: number) =>
  fc.string({ maxLength: most, unit: fc.integer({ min: 0x20, max: 0x7e }).map((n) => String.fromCharCode(n)) })
const bytes = fc.uint8Array({ maxLength: 3_000 }).map((array) => Buffer.from(array).toString('latin1'))
const name = fc.option(fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/), { nil: undefined })
const mails: fc.Arbitrary<SesSendEmailInput> = fc.record({
  from: ascii(80),
  to: ascii(80),
  mime: fc.oneof(bytes, ascii(500)),
  deliveryId: fc.oneof(ascii(400), fc.string({ maxLength: 100 })),
  projectId: fc.stringMatching(/^[0-9a-f]{24}$/),
  configurationSet: name,
  tenant: name,
})

const dateOf = (headers: Readonly<Record<string, string>>): number => {
  const text = headers['x-amz-date'] ?? ''
  return Date.parse(text.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3:$4:$5Z'))
}

describe('a SendEmail request', () => {
  it('has the SDK’s body byte for byte, and the same header values', async () => {
    const endpoints = fc.constantFrom(
      undefined,
      'http://127.0.0.1:4579',
      'https://proxy.example/ses',
      'https://a.example:8443',
    )
    const tokens = fc.constantFrom(undefined, 'a-session-token', 'long'.repeat(1_500))
    const into = sendRequestBuffer()
    const regions = fc.constantFrom('eu-west-1', 'us-east-1', 'us-gov-west-1', 'cn-north-1')
    await fc.assert(
      fc.asyncProperty(mails, endpoints, tokens, regions, async (mail, endpoint, sessionToken, region) => {
        const sdk = await bySdk(mail, { region, endpoint, sessionToken })
        const made = sesRequestComposer(sdk, region)(mail, { ...credentials, sessionToken }, dateOf(sdk.headers), into)
        const { line, headers, body } = read(made)
        expect(line).toBe(`POST ${sdk.path} HTTP/1.1`)
        expect(body.equals(Buffer.from(sdk.body as string))).toBe(true)
        const { authorization, ...rest } = headers
        expect(sdk.headers).toMatchObject(rest)
        const sign = awsRequestSigner('ses', region)
        const { 'content-length': length } = headers
        expect(length).toBe(String(body.length))
        const { authorization: theirs, 'user-agent': _agent, ...signed } = sdk.headers
        const names = /SignedHeaders=([^,]+)/.exec(theirs ?? '')?.[1]?.split(';') ?? []
        expect(Object.keys(signed).toSorted()).toEqual(names)
        const request = { method: sdk.method, path: sdk.path, headers: signed, bodyHash: sha256(body) }
        expect(sign(request, credentials, sdk.headers['x-amz-date'] ?? '')).toBe(theirs)
        const ourRequest = { method: 'POST', path: sdk.path, headers: rest, bodyHash: sha256(body) }
        expect(authorization).toBe(sign(ourRequest, credentials, rest['x-amz-date'] ?? ''))
      }),
      { numRuns: 200 },
    )
  })

  it('is signed with a new key when the day or the secret changes', () => {
    const sign = awsRequestSigner('ses', 'eu-west-1')
    const request = { method: 'POST', path: '/v2/email/outbound-emails', headers: { host: 'a' }, bodyHash: sha256('') }
    const at = ['20261122T235959Z', '20261123T000000Z', '20261122T235959Z'] as const
    const signatures = at.map((one) => sign(request, credentials, one).slice(-64))
    expect(signatures[0]).toBe(signatures[2])
    expect(new Set(signatures).size).toBe(2)
    expect(sign(request, { ...credentials, secretAccessKey: 'another' }, at[0]).slice(-64)).not.toBe(signatures[0])
  })
})
