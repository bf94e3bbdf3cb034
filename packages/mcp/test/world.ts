import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { createCore, type KeyScope } from '@posthorn/core'
import { type HttpAppOptions, httpApp } from '@posthorn/http-express'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { mcpOverHttp } from '../src/index.js'

const plenty = { perSecond: 1e6, burst: 1e6 }

/** A server in memory that assistants may use. */
export const aWorld = async ({
  writes = true,
  rateLimits = { api: plenty, pages: plenty },
  ...limits
}: { readonly writes?: boolean } & Pick<HttpAppOptions, 'rateLimits' | 'answerLimits'> = {}) => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const sample = await sampleProject(core)
  const app = httpApp({
    core,
    publicUrl: world.ports.settings.publicUrl,
    log: world.ports.log,
    rateLimits,
    ...limits,
    mcp: mcpOverHttp({ writes }),
  })
  const server = app.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { readonly port: number }
  const url = `http://127.0.0.1:${port}`
  const clients: Client[] = []

  const assistant = async (key = sample.key) => {
    const client = new Client({ name: 'test', version: '1' })
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    })
    await client.connect(transport as Parameters<typeof client.connect>[0])
    clients.push(client)
    return {
      client,
      names: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name: string, given: Readonly<Record<string, unknown>> = {}) =>
        (await client.callTool({ name, arguments: given })) as CallToolResult,
    }
  }

  return {
    ...world,
    core,
    ...sample,
    url,
    assistant,
    keyWith: async (scope: KeyScope) => (await core.apiKeys.create(sample.project._id, { scope })).key,
    /** A request to `/mcp` by hand. */
    post: (body: string, headers: Readonly<Record<string, string>> = {}) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${sample.key}`,
          ...headers,
        },
        body,
      }),
    close: async () => {
      await Promise.all(clients.map((client) => client.close()))
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
