import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import type { Tenant } from './target.js'

export type Answer = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** The body’s `result`, where it is JSON. */
  readonly result: unknown
}

export type Asked = {
  readonly headers?: Readonly<Record<string, string>>
  /** JSON of it is sent; a text or bytes go as they are. */
  readonly body?: unknown
}

const bytesOf = (body: unknown): Buffer | undefined => {
  if (body === undefined || Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

const resultIn = (text: string): unknown => {
  try {
    return (JSON.parse(text) as { readonly result?: unknown }).result
  } catch {
    return undefined
  }
}

/** Asks a server on loopback; a connection that breaks is status 0, with the reason as its text. */
export const client = (base: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 300 })
  const { hostname, port } = new URL(base)
  const statuses = new Map<number, number>()

  const once = (method: string, path: string, { headers = {}, body }: Asked = {}, isAgain = false): Promise<Answer> =>
    new Promise((resolve) => {
      const bytes = bytesOf(body)
      const length = bytes ? { 'content-type': 'application/json', 'content-length': String(bytes.length) } : {}
      const broken = (error: NodeJS.ErrnoException) => {
        // The server had closed a connection that nobody used, in the moment in which it was used again: a new one tells.
        if (asked.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE'))
          resolve(once(method, path, { headers, body }, true))
        else resolve({ status: 0, headers: {}, text: error.code ?? error.message, result: undefined })
      }
      const asked = request(
        { agent: isAgain ? false : agent, hostname, port, method, path, headers: { ...length, ...headers } },
        (answer) => {
          const parts: Buffer[] = []
          answer.on('data', (part: Buffer) => parts.push(part))
          answer.on('error', broken)
          answer.on('end', () => {
            const text = Buffer.concat(parts).toString('utf8')
            const status = answer.statusCode ?? 0
            statuses.set(status, (statuses.get(status) ?? 0) + 1)
            resolve({ status, headers: answer.headers, text, result: resultIn(text) })
          })
        },
      )
      asked.on('error', broken)
      asked.end(bytes)
    })

  return {
    /** One request, answered as it comes. */
    once,
    /** As `once`, but what is turned away for its pace comes again a moment later, as a patient attacker does. */
    ask: async (method: string, path: string, asked: Asked = {}): Promise<Answer> => {
      for (let tries = 0; ; tries += 1) {
        const answer = await once(method, path, asked)
        if (answer.status !== 429 || tries > 600) return answer
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    },
    /** How often each status came. */
    statuses,
    close: () => agent.destroy(),
  }
}
export type Client = ReturnType<typeof client>

/** What a tenant asks of its own project. */
export const asTenant = ({ ask }: Client, { projectId, key }: Tenant) => {
  const headers = { authorization: `Bearer ${key}` }
  const call = (method: string, path: string, body?: unknown) =>
    ask(method, `/v1/projectId/${projectId}${path}`, { headers, body })
  return {
    headers,
    get: (path: string) => call('GET', path),
    post: (path: string, body: unknown) => call('POST', path, body),
    patch: (path: string, body: unknown) => call('PATCH', path, body),
    remove: (path: string) => call('DELETE', path),
    /** The id of what was made. @throws Error with what was said instead */
    made: async (path: string, body: unknown): Promise<string> => {
      const { status, result, text } = await call('POST', path, body)
      const { _id } = (result ?? {}) as { readonly _id?: string }
      if (_id === undefined) throw new Error(`POST ${path}: ${status} ${text.slice(0, 500)}`)
      return _id
    },
  }
}
export type TenantClient = ReturnType<typeof asTenant>
