import type { McpExchange, McpHandler } from '@posthorn/http-express'

type Listing = { readonly id: string | number }

/** For each message that asks for the tools, in a version and form that the transport would answer. */
const toolListingOf = (
  { message, request: { headers } }: Pick<McpExchange, 'message' | 'request'>,
  versions: readonly string[],
): Listing | undefined => {
  if (typeof message !== 'object' || message === null) return undefined
  const { jsonrpc, method, id } = message as Readonly<Record<string, unknown>>
  const { accept = '', 'mcp-protocol-version': version = versions[0] } = headers
  const isTaken = accept.includes('application/json') && accept.includes('text/event-stream')
  if (jsonrpc !== '2.0' || method !== 'tools/list' || !isTaken || !versions.includes(String(version))) return undefined
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? { id } : undefined
}

/** Stateless: each message has its own server and a JSON response. Everybody with a scope gets the same bytes of the tools. */
export const mcpOverHttp = ({ writes }: { readonly writes: boolean }): McpHandler => {
  const loaded = Promise.all([
    import('#sdk/server/streamableHttp.js'),
    import('#sdk/types.js'),
    import('./server.js'),
  ] as const)
  const listed = new Map<string, Buffer>()
  return async ({ request, response, message, ...caller }) => {
    const [{ StreamableHTTPServerTransport }, { SUPPORTED_PROTOCOL_VERSIONS }, { mcpServer, offeredTools }] =
      await loaded
    const listing = toolListingOf({ message, request }, SUPPORTED_PROTOCOL_VERSIONS)
    if (listing) {
      const { scope } = caller
      const tools = listed.get(scope) ?? Buffer.from(JSON.stringify(offeredTools({ ...caller, writes })))
      listed.set(scope, tools)
      response.status(200).set('Content-Type', 'application/json')
      const [before, after] = ['{"result":{"tools":', `},"jsonrpc":"2.0","id":${JSON.stringify(listing.id)}}`]
      response.set('Content-Length', `${before.length + tools.length + Buffer.byteLength(after)}`)
      response.write(before)
      response.write(tools)
      response.end(after)
      return
    }
    const server = mcpServer({ ...caller, writes })
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true })
    response.once('close', () => void server.close())
    await server.connect(transport as Parameters<typeof server.connect>[0])
    await transport.handleRequest(request, response, message)
  }
}
