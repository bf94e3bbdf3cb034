import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bootstrapKey, type RunningServer } from '../../../tests/server-process.js'

export const password = 'a password of the tests'
export const person = {
  _id: '64b7f0c2a1b2c3d4e5f60718',
  email: 'mara@kestrel.example',
  name: 'Mara Lindqvist',
  operator: false,
  totp: false,
}

const everything = [
  'project.read',
  'figures.read',
  'addresses.read',
  'content.edit',
  'contacts.edit',
  'emails.test',
  'emails.send',
  'suppressions.edit',
]

const bodyOf = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const answer = (response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ status, ...body }))
}

const refused = (response: ServerResponse, status: number, name: string, code?: string) =>
  answer(response, status, { error: { name, message: '', ...(code && { code }) } })

type Fault = { readonly status: number; readonly name: string; readonly retryAfter?: string }

export type ConsoleServer = {
  readonly url: string
  /** Ends every session, as after twelve hours. */
  readonly endSessions: () => void
  /** The next calls below a project fail by this; undefined ends it. */
  readonly failWith: (fault: Fault | undefined) => void
  /** What the person may do; default: everything. */
  readonly permit: (permissions: readonly string[]) => void
  readonly close: () => Promise<void>
}

/**
 * The built server with sessions in front: signs one person in, and passes calls below `/console/api/projectId` to the same rows of `/v1`
 * with the key of the tests. Everything else reaches the server as it is.
 */
export const consoleServer = async (
  { base }: Pick<RunningServer, 'base'>,
  projectId: string,
  { needsCode = false }: { readonly needsCode?: boolean } = {},
): Promise<ConsoleServer> => {
  const sessions = new Set<string>()
  let fault: Fault | undefined
  let permissions: readonly string[] = everything
  const isSignedIn = ({ headers }: IncomingMessage) =>
    (headers.cookie ?? '').split(/;\s*/).some((cookie) => sessions.has(cookie.replace('session=', '')))

  const session = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === 'DELETE') {
      sessions.clear()
      return answer(response, 200, { result: { success: true } })
    }
    if (request.method === 'POST') {
      const given = JSON.parse((await bodyOf(request)).toString()) as Record<string, string>
      if (given.email !== person.email || given.password !== password)
        return refused(response, 401, 'AUTHENTICATION_ERROR')
      if (needsCode && given.code !== '123456')
        return refused(
          response,
          401,
          'AUTHENTICATION_ERROR',
          given.code === undefined ? 'second-factor-required' : undefined,
        )
      const id = `${Math.random()}`
      sessions.add(id)
      return answer(
        response,
        200,
        { result: { success: true } },
        { 'set-cookie': `session=${id}; HttpOnly; SameSite=Lax; Path=/` },
      )
    }
    if (!isSignedIn(request)) return refused(response, 401, 'AUTHENTICATION_ERROR')
    const projects = [
      {
        _id: projectId,
        name: 'Kestrel Books',
        accountId: projectId,
        accountName: 'Kestrel',
        role: 'owner',
        permissions,
      },
    ]
    return answer(response, 200, { result: { person, projects } })
  }

  const passOn = async (request: IncomingMessage, response: ServerResponse, path: string, key?: string) => {
    const body = await bodyOf(request)
    const { cookie: _, host: __, ...headers } = request.headers
    const passed = httpRequest(
      new URL(path, base),
      {
        method: request.method,
        headers: { ...headers, 'content-length': body.length, ...(key && { authorization: `Bearer ${key}` }) },
      },
      (answered) => {
        response.writeHead(answered.statusCode ?? 502, answered.headers)
        answered.pipe(response)
      },
    )
    passed.on('error', () => response.destroy())
    passed.end(body)
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    const handled = async () => {
      if (path === '/console/api/session') return session(request, response)
      if (path.startsWith('/console/api/setup') || path.startsWith('/console/api/link'))
        return refused(response, 401, 'AUTHENTICATION_ERROR')
      if (!path.startsWith('/console/api/projectId/')) return passOn(request, response, path)
      if (!isSignedIn(request)) return refused(response, 401, 'AUTHENTICATION_ERROR')
      if (fault)
        return answer(
          response,
          fault.status,
          { error: { name: fault.name, message: '' } },
          { 'retry-after': fault.retryAfter ?? '1' },
        )
      return passOn(request, response, path.replace('/console/api', '/v1'), bootstrapKey)
    }
    handled().catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    endSessions: () => sessions.clear(),
    failWith: (next) => {
      fault = next
    },
    permit: (next) => {
      permissions = next
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
