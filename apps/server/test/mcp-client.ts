import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

/** A client of the official SDK, connected by a transport. */
export const connectedClient = async (transport: unknown): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client
}

/** One that uses a server by HTTP. */
export const clientByHttp = (base: string, key: string): Promise<Client> =>
  connectedClient(
    new StreamableHTTPClientTransport(new URL(`${base}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}` } },
    }),
  )
