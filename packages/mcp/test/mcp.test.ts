import { connect } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { aWorld } from './world.js'

let world: Awaited<ReturnType<typeof aWorld>>
afterEach(() => world.close())

const textOf = ({ content }: { readonly content: readonly object[] }) => (content[0] as { readonly text: string }).text

describe('the tools', () => {
  it('are those that the key may call', async () => {
    world = await aWorld()
    const of = async (scope: 'full' | 'send' | 'read' | 'webhook') =>
      (await world.assistant(await world.keyWith(scope))).names()
    expect(await of('send')).toEqual([
      'send_mail',
      'cancel_send',
      'send_transactional',
      'send_batch',
      'send_triggered',
      'send_test_email',
      'render_preview',
    ])
    expect(await of('webhook')).toEqual([
      'get_webhook',
      'list_webhook_log',
      'get_webhook_log_entry',
      'list_webhooks',
      'get_webhook_endpoint',
      'list_webhook_endpoint_log',
      'get_webhook_endpoint_log_entry',
    ])
    const full = await of('full')
    const read = await of('read')
    expect(full).toContain('delete_contact')
    expect(full).not.toContain('upload_gallery_image')
    expect(full).not.toContain('export_contacts')
    expect(read).toContain('list_contacts')
    expect(read).not.toContain('create_contact')
    expect(full.filter((name) => read.includes(name))).toEqual(read)
  })

  it('only read where writes are not allowed', async () => {
    world = await aWorld({ writes: false })
    const { client, call } = await world.assistant()
    const { tools } = await client.listTools()
    expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true)
    expect(tools.map(({ name }) => name)).toContain('list_contacts')
    await expect(call('create_contact', { email: 'ada@example.com' })).rejects.toThrow('only reading is allowed here')
    expect(await world.core.contacts.list(world.scope, { skip: 0, limit: 10 } as never)).toMatchObject({ count: 0 })
  })

  it('have schemas that stand alone, with names that every assistant accepts', async () => {
    world = await aWorld()
    const { client } = await world.assistant()
    const { tools } = await client.listTools()
    for (const { name, inputSchema } of tools) {
      expect(name).toMatch(/^[a-z_]{1,64}$/)
      const { $defs = {} } = inputSchema as { readonly $defs?: object }
      const refs = [...JSON.stringify(inputSchema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => ref)
      expect(refs.filter((ref) => !Object.keys($defs).some((known) => ref === `#/$defs/${known}`))).toEqual([])
      for (const property of Object.keys(inputSchema.properties ?? {})) expect(property).toMatch(/^[\w.-]{1,64}$/)
    }
  })

  it('say which of them delete or send', async () => {
    world = await aWorld()
    const { client } = await world.assistant()
    const { tools } = await client.listTools()
    const hints = (name: string) => tools.find((tool) => tool.name === name)?.annotations
    expect(hints('list_contacts')).toMatchObject({ readOnlyHint: true, idempotentHint: true })
    expect(hints('delete_contact')).toMatchObject({ readOnlyHint: false, destructiveHint: true, idempotentHint: true })
    expect(hints('send_mail')).toMatchObject({ destructiveHint: true, idempotentHint: false })
    expect(hints('create_campaign')).toMatchObject({ destructiveHint: true })
    expect(hints('create_segment')).toMatchObject({ readOnlyHint: false, destructiveHint: false })
    expect(hints('get_setup_link')).toMatchObject({ readOnlyHint: false })
  })
})

describe('a call', () => {
  it('creates, lists by a filter, and changes', async () => {
    world = await aWorld()
    const { call } = await world.assistant()
    for (const name of ['Ada', 'Grace']) await call('create_segment', { name, groups: [] })
    const page = await call('list_segments', { limit: 1, filter: { name: 'Ada' } })
    expect(page.structuredContent).toMatchObject({ count: 1, items: [{ name: 'Ada' }] })
    expect(JSON.parse(textOf(page))).toEqual(page.structuredContent)
    const { _id: id } = (page.structuredContent as { items: { _id: string }[] }).items[0] ?? { _id: '' }
    expect((await call('update_segment', { id, name: 'Countess' })).structuredContent).toMatchObject({
      name: 'Countess',
    })
  })

  it('sends one mail for one idempotencyKey', async () => {
    world = await aWorld()
    const { call } = await world.assistant(await world.keyWith('send'))
    const mail = {
      to: 'ada@example.com',
      subject: 'Hello',
      html: '<p>Hello</p>',
      idempotencyKey: 'receipt-1',
    }
    const first = await call('send_mail', mail)
    expect(first.isError).toBeUndefined()
    expect(await call('send_mail', mail)).toEqual(first)
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.length).toBe(1)
  })

  it('returns the violations of the API as an error of the tool', async () => {
    world = await aWorld()
    const { call } = await world.assistant()
    const refused = await call('create_segment', { name: '' })
    expect(refused.isError).toBe(true)
    expect(textOf(refused)).toMatch(/^VALIDATION_ERROR: .*name/)
    expect(refused.structuredContent).toMatchObject({ status: 400, error: { violations: [{ field: 'name' }] } })
    expect((await call('get_campaign', { id: '0'.repeat(24) })).isError).toBe(true)
  })

  it('cannot leave its path', async () => {
    world = await aWorld()
    const { call } = await world.assistant()
    await expect(call('get_contact', { email: '..' })).rejects.toThrow('one path segment')
    const far = await call('get_contact', { email: '../webhook?x=1' })
    expect(textOf(far)).toMatch(/NOT_FOUND|VALIDATION_ERROR/)
  })

  it('is refused for an unknown tool, and for unknown or missing arguments', async () => {
    world = await aWorld()
    const { call } = await world.assistant()
    await expect(call('drop_tables')).rejects.toThrow('There is no tool "drop_tables"')
    await expect(call('get_campaign')).rejects.toThrow('get_campaign needs id')
    await expect(call('get_campaign', { id: '1', projectId: 'other' })).rejects.toThrow('no argument "projectId"')
    const sender = await world.assistant(await world.keyWith('send'))
    await expect(sender.call('list_contacts')).rejects.toThrow('scope send may not use list_contacts')
  })

  it('counts in the rate of its key', async () => {
    world = await aWorld({ rateLimits: { api: { perSecond: 0.001, burst: 7 } } })
    const { call } = await world.assistant()
    const results = []
    for (let i = 0; i < 5; i += 1)
      results.push(await call('list_segments').catch((error: Error) => ({ isError: true, text: error.message })))
    expect(results.some(({ isError }) => isError)).toBe(true)
    expect(results[0]?.isError).toBeUndefined()
  })

  it('does not return more than an assistant can read', async () => {
    world = await aWorld()
    const { call } = await world.assistant()
    for (let i = 0; i < 12; i += 1)
      await call('create_transactional_email', {
        name: `T${i}`,
        subject: 'Hello',
        type: 'html',
        document: 'x'.repeat(30_000),
      })
    const page = await call('list_transactional_emails', { limit: 30 })
    expect(page.isError).toBe(true)
    expect(textOf(page)).toContain('a page with limit and skip')
    expect((await call('list_transactional_emails', { limit: 2 })).isError).toBeUndefined()
  })
})

describe('the prompts', () => {
  it('name tools that exist', async () => {
    world = await aWorld()
    const { client, names } = await world.assistant()
    const known = new Set(await names())
    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name }) => name)).toEqual(['write_campaign', 'explain_address', 'diagnose_deliverability'])
    const given = { write_campaign: { brief: 'Spring sale' }, explain_address: { email: 'ada@example.com' } }
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({
        name,
        arguments: (given as Record<string, Record<string, string>>)[name] ?? {},
      })
      const text = textOf({ content: messages.map(({ content }) => content) })
      const named = [...text.matchAll(/\b(?:list|get|create|preview|render)_[a-z_]+\b/g)].map(([tool]) => tool)
      expect(named.length).toBeGreaterThan(4)
      expect(named.filter((tool) => !known.has(tool))).toEqual([])
    }
  })

  it('check their arguments', async () => {
    world = await aWorld()
    const { client } = await world.assistant()
    const asked = (name: string, given: Record<string, string>) => client.getPrompt({ name, arguments: given })
    await expect(asked('explain_address', { email: 'nobody' })).rejects.toThrow('email:')
    await expect(asked('write_campaign', {})).rejects.toThrow('brief:')
    await expect(asked('diagnose_deliverability', { since: 'yesterday' })).rejects.toThrow('since:')
    await expect(asked('sing', {})).rejects.toThrow('There is no prompt "sing"')
  })
})

describe('/mcp', () => {
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

  it('answers a message in JSON, without a session', async () => {
    world = await aWorld()
    const response = await world.post(ping)
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
    const note = await world.post(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
    expect(note.status).toBe(202)
  })

  it('lists the tools in the same forms and versions as it answers other messages', async () => {
    world = await aWorld()
    const asked = { jsonrpc: '2.0', method: 'tools/list' }
    const answer = await world.post(JSON.stringify({ ...asked, id: 'ä' }))
    const first = (await answer.json()) as { readonly result: object }
    expect(first).toMatchObject({ jsonrpc: '2.0', id: 'ä', result: { tools: expect.any(Array) as unknown } })
    const { client } = await world.assistant()
    expect(await client.listTools()).toEqual(first.result)
    const [body, note] = [JSON.stringify({ ...asked, id: 2 }), JSON.stringify(asked)]
    expect((await world.post(body, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    expect((await world.post(body, { accept: 'application/json' })).status).toBe(406)
    expect((await world.post(note)).status).toBe(202)
  })

  it('is refused while too many answers are not read', async () => {
    world = await aWorld({ answerLimits: { total: 4_000_000, share: 2_000_000 } })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const lines = [
      ...[
        'POST /mcp HTTP/1.1',
        'Host: localhost',
        `Authorization: Bearer ${world.key}`,
        'Content-Type: application/json',
      ],
      ...['Accept: application/json, text/event-stream', `Content-Length: ${body.length}`, '', body],
    ]
    const idle = connect(Number(new URL(world.url).port), '127.0.0.1').pause()
    onTestFinished(() => void idle.destroy())
    idle.write(lines.join('\r\n').repeat(150))
    await expect.poll(async () => (await world.post(ping)).status).toBe(429)
    idle.destroy()
    await expect.poll(async () => (await world.post(ping)).status).toBe(200)
  })

  it.each(['GET', 'DELETE', 'OPTIONS'])('does not support %s', async (method) => {
    world = await aWorld()
    const response = await fetch(`${world.url}/mcp`, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  it('refuses pages of browsers, strangers, batches, and bodies that are too large, too deep or no messages', async () => {
    world = await aWorld()
    const status = async (body: string, headers?: Readonly<Record<string, string>>) =>
      (await world.post(body, headers)).status
    expect(await status(ping, { origin: 'http://localhost:6274' })).toBe(403)
    expect(await status(ping, { authorization: '' })).toBe(403)
    expect(await status(ping, { authorization: 'Bearer ph_wrong' })).toBe(403)
    expect(await status('x'.repeat(100_000), { authorization: 'Bearer ph_wrong' })).toBe(403)
    expect(await status(`[${ping}]`)).toBe(400)
    expect(await status('x'.repeat(2 * 1024 * 1024))).toBe(413)
    expect(await status(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)).toBe(400)
    expect(await status('{"jsonrpc":"2.0","id":{},"method":"ping"}')).toBe(400)
    expect(await status('{"jsonrpc":"2.0"}')).toBe(400)
    expect(await status('{')).toBe(400)
  })
})
