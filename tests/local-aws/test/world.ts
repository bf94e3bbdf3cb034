import { type LocalSes, type LocalSesOptions, localSes } from '../src/index.js'

export const topicArn = 'arn:aws:sns:eu-west-1:123456789012:posthorn-events'

/** A call as the SDK makes it, as far as the server looks at it. */
export const callTo =
  (ses: LocalSes, { region = 'eu-west-1', key = 'AKIDLOCAL' } = {}) =>
  async (method: string, path: string, body?: object) => {
    const response = await fetch(`${ses.url}/v2/email/${path}`, {
      method,
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/${region}/ses/aws4_request, SignedHeaders=host, Signature=0`,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as Record<string, unknown>
    return { status: response.status, error: response.headers.get('x-amzn-errortype'), ...answer } as Record<
      string,
      unknown
    >
  }

export const mailTo = (to: string, more: object = {}) => ({
  FromEmailAddress: 'news@shop.example',
  Destination: { ToAddresses: [to] },
  Content: { Raw: { Data: Buffer.from('Subject: Hello\r\n\r\nHi').toString('base64') } },
  ...more,
})

/** A server with one verified domain. */
export const started = async (options: LocalSesOptions = {}) => {
  const ses = await localSes(options)
  ses.region('eu-west-1').identities.verify('shop.example', true)
  return {
    ses,
    call: callTo(ses),
    send: (to: string, more: object = {}) => callTo(ses)('POST', 'outbound-emails', mailTo(to, more)),
  }
}
