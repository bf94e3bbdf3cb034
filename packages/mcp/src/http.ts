import type { McpHandler } from '@posthorn/http-express'

/** For `httpApp({ mcp })`. Stateless: each message has a server of its own, and is answered in JSON. */
export const mcpOverHttp =
  ({ writes }: { readonly writes: boolean }): McpHandler =>
  async ({ request, response, message, projectId, scope, perform }) => {
    const [{ StreamableHTTPServerTransport }, { mcpServer }] = await Promise.all([
      import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
      import('./server.js'),
    ])
    const server = mcpServer({ projectId, scope, writes, perform })
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.once('close', () => void server.close())
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request, response, message)
  }
