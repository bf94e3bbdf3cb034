import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'

export type ReceivedRequest = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string }

/** A real web server on 127.0.0.1, by default on a free port. */
export const localReceiver = async (answer: RequestListener, at = 0) => {
  const received: ReceivedRequest[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    const { method, url, headers } = request
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => {
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString() })
      answer(request, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    port,
    url: `http://127.0.0.1:${port}/hooks?from=posthorn`,
    close: () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
