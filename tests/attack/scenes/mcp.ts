import { type Scene, unless } from '../scene.js'

const accept = { accept: 'application/json, text/event-stream' }
const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const nested = (depth: number) =>
  `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(depth)}1${'}'.repeat(depth + 1)}`

/** What an assistant, or somebody in its place, may try at `/mcp`. */
export const mcpScenes: readonly Scene[] = [
  {
    name: 'messages to /mcp that are too large, too deep, too many, from web pages, or without a key',
    settings: { POSTHORN_MCP: 'write' },
    run: async ({ client, attacker, target, size }) => {
      const ask = (body: unknown, headers: Readonly<Record<string, string>> = {}, method = 'POST') =>
        client.ask(method, '/mcp', {
          headers: { ...accept, authorization: `Bearer ${attacker.key}`, ...headers },
          ...(method === 'POST' && { body }),
        })
      const statusOf = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status
      const ping = message('ping')
      const nobody = { authorization: '' }
      const expected: readonly (readonly [what: string, status: number, asked: Parameters<typeof ask>])[] = [
        ['a message', 200, [ping]],
        ['a message from a web page', 403, [ping, { origin: 'http://evil.example' }]],
        ['a message from a sandboxed page', 403, [ping, { origin: 'null' }]],
        ['a message without a key', 403, [ping, nobody]],
        ['900 kB without a key', 403, ['x'.repeat(900_000), nobody]],
        ['a body of 3 MB', 413, ['x'.repeat(3_000_000)]],
        ['100,000 levels', 400, [nested(100_000)]],
        ['a batch of thousands', 400, [Array.from({ length: size(5_000, 1_000) }, () => ping)]],
        ['an id that is an object', 400, [{ ...ping, id: { toString: 1 } }]],
        ['GET', 405, [undefined, {}, 'GET']],
        ['DELETE', 405, [undefined, {}, 'DELETE']],
      ]
      const broken: string[] = []
      for (const [what, status, asked] of expected) {
        const got = await statusOf(...asked)
        if (got !== status) broken.push(`${what}: ${got} instead of ${status}`)
      }

      const command = ['key', 'create', attacker.projectId, '--scope', 'send'] as const
      const { key } = (await target.command(...command)) as { readonly key: string }
      const asSender = { authorization: `Bearer ${key}` }
      const tries = ['list_contacts', 'get_project', 'create_segment', 'delete_webhook', 'get_api_key', '__proto__']
      for (const name of tries) {
        const { text } = await ask(message('tools/call', { name, arguments: { name: 'x' } }), asSender)
        if (!text.includes('"error"')) broken.push(`${name} with a key for sending: ${text.slice(0, 200)}`)
      }
      for (const projectId of ['../x', attacker.projectId]) {
        const { text } = await ask(
          message('tools/call', { name: 'get_contact', arguments: { email: '..', projectId } }),
        )
        if (!text.includes('"error"')) broken.push(`an argument projectId: ${text.slice(0, 200)}`)
      }

      const many = await Promise.all(
        Array.from({ length: size(2_000, 300) }, () => statusOf('x'.repeat(20_000), nobody)),
      )
      const others = many.filter((status) => status !== 403 && status !== 429 && status !== 0)
      return [...broken, ...unless(others.length === 0, `many without a key: ${[...new Set(others)].join(', ')}`)]
    },
  },
]
