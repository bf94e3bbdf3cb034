import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bootstrapKey,
  builtCli,
  countMails,
  idsIn,
  type RunningServer,
  runCommand,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
  until,
} from '../../../tests/server-process.js'
import { clientByHttp, connectedClient } from './mcp-client.js'

const data = temporaryDirectory()
let server: RunningServer
let sendKey = ''
const clients: Client[] = []

beforeAll(async () => {
  server = await startBuiltServer(data.path, { POSTHORN_MCP: 'write' })
  const { project } = idsIn(server.printed())
  const { stdout } = await runCommand(['key', 'create', project, '--scope', 'send', '--json'], {
    POSTHORN_DATA_DIR: data.path,
  })
  sendKey = (JSON.parse(stdout) as { readonly key: string }).key
})
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await stopServer(server)
  data.remove()
})

const kept = async (connecting: Promise<Client>) => {
  const client = await connecting
  clients.push(client)
  return client
}
const byHttp = (key: string) => kept(clientByHttp(server.base, key))
const byStdio = (key: string, ...args: readonly string[]) =>
  kept(
    connectedClient(
      new StdioClientTransport({
        command: process.execPath,
        args: [builtCli, 'mcp', '--url', server.base, ...args],
        env: { POSTHORN_API_KEY: key },
      }),
    ),
  )
const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

describe('an assistant of the built server', () => {
  it('finds the same tools by HTTP and by the command', async () => {
    const byCommand = await namesOf(await byStdio(bootstrapKey, '--allow-writes'))
    expect(byCommand).toContain('send_mail')
    expect(byCommand).toEqual(await namesOf(await byHttp(bootstrapKey)))
  })

  it('only reads by the command unless writes are allowed', async () => {
    const client = await byStdio(bootstrapKey)
    expect(await namesOf(client)).not.toContain('create_contact')
    const { isError, structuredContent } = await client.callTool({ name: 'get_project', arguments: {} })
    expect(isError).toBeUndefined()
    expect(structuredContent).toMatchObject({ _id: idsIn(server.printed()).project })
  })

  it('sends a mail with a key for sending, and can do nothing else', async () => {
    const before = countMails(data.path)
    const client = await byHttp(sendKey)
    const mail = { to: 'ada@example.com', subject: 'Hello', html: '<p>Hello</p>' }
    const sent = await client.callTool({ name: 'send_mail', arguments: mail })
    expect(sent.isError).toBeUndefined()
    await until(() => countMails(data.path) > before)
    await expect(client.callTool({ name: 'list_contacts', arguments: {} })).rejects.toThrow('scope send')
  })

  it('finds no tools where the server is set to off', async () => {
    const own = temporaryDirectory()
    const off = await startBuiltServer(own.path, { POSTHORN_MCP: 'off' })
    await expect(clientByHttp(off.base, bootstrapKey)).rejects.toMatchObject({ code: 404 })
    await stopServer(off)
    own.remove()
  })

  it('learns why the command cannot connect', async () => {
    const run = (environment: Readonly<Record<string, string>>) =>
      runCommand(['mcp', '--url', server.base], environment)
    expect(await run({})).toMatchObject({ code: 2, stderr: expect.stringContaining('Set POSTHORN_API_KEY') })
    expect(await run({ POSTHORN_API_KEY: 'ph_wrong' })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('refuses the API key'),
    })
  })
})
