import type { McpHandler } from '@posthorn/http-express'

/** Stateless: each message has its own server and a JSON response. */
export const mcpOverHttp = ({ writes }: { readonly writes: boolean }): McpHandler => {
  const loaded = Promise.all([import('#sdk/server/streamableHttp.js'), import('./server.js')])
  return async ({ request, response, message, ...caller }) => {
    const [{ StreamableHTTPServerTransport }, { mcpServer }] = await loaded
    const server = mcpServer({ ...caller, writes })
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.once('close', () => void server.close())
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request, response, message)
  }
}
