import { Agent, type IncomingHttpHeaders, request } from 'node:http'

/** A request as its bytes: no URL is tidied up, and nothing is said of the body that is not given. */
export type RawRequest = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}
export type RawAnswer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly text: string }

/** Asks on loopback, with connections that are kept until `close`. */
export const rawClient = (base: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { hostname, port } = new URL(base)
  return {
    ask: ({ method, path, headers, body }: RawRequest): Promise<RawAnswer> =>
      new Promise((resolve, reject) => {
        const length = body ? { 'content-length': String(body.length) } : {}
        const asked = request({ agent, hostname, port, method, path, headers: { ...headers, ...length } }, (answer) => {
          const parts: Uint8Array[] = []
          answer.on('data', (part: Uint8Array) => parts.push(part))
          answer.on('error', reject)
          answer.on('end', () =>
            resolve({
              status: answer.statusCode ?? 0,
              headers: answer.headers,
              text: Buffer.concat(parts).toString('utf8'),
            }),
          )
        })
        asked.on('error', reject)
        asked.end(body)
      }),
    close: () => agent.destroy(),
  }
}
