import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { commandsIn, inJson } from './terminal.js'

const data = temporaryDirectory()
afterAll(() => data.remove())

const run = commandsIn(data.path, { POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true' })
const json = inJson(run)
const said = async (...args: string[]) => (await run(...args)).stdout

beforeAll(async () => {
  await run('store', 'create')
  const { _id } = await json('account', 'create', 'Acme')
  await json('credit', 'add', _id, '1000')
  await json('project', 'create', _id, 'Shop')
})

describe('posthorn list', () => {
  it('creates, lists, shows and deletes lists', async () => {
    expect(await said('list', 'list')).toBe('There is no list yet.\n')
    const { _id } = await json('list', 'create', 'News', '--private', '--description', 'What is new')
    expect(await said('list', 'list')).toMatch(new RegExp(`^ID +NAME +PRIVATE .*\n${_id}  News  yes `))
    expect(await said('list', 'show', _id)).toMatch(/^id +\w+\nname +News\n[\s\S]*\nactive +0\n/)
    expect(await json('list', 'show', _id)).toMatchObject({ description: 'What is new', stats: { active: 0 } })
    expect(await said('list', 'delete', _id)).toBe(`${_id} is gone\n`)
    expect(await run('list', 'show', _id)).toMatchObject({ code: 1, stderr: 'error: Subscriber list not found\n' })
  })

  it('shows a page, and how to see the next', async () => {
    for (const name of ['a', 'b', 'c']) await json('list', 'create', name)
    expect(await json('list', 'list', '--limit', '2')).toHaveLength(2)
    expect(await said('list', 'list', '--limit', '2', '--skip', '1')).toMatch(
      /\n2 to 3 of 3; --skip and --limit show others\n$|^(?![\s\S]*show others)/,
    )
    expect(await said('list', 'list', '--limit', '2')).toContain('\n1 to 2 of 3; --skip and --limit show others\n')
    expect(await said('list', 'list')).not.toContain('show others')
    expect(await run('list', 'list', '--limit', '0')).toMatchObject({ code: 2 })
  })
})

describe('posthorn segment', () => {
  it('creates, lists, shows and deletes segments', async () => {
    const groups = [
      { conditions: [{ category: 'contact-property', property: 'name', operator: 'equals', value: 'Ada' }] },
    ]
    const { _id } = await json('segment', 'create', 'Adas', '--groups', JSON.stringify(groups))
    expect(await said('segment', 'list')).toMatch(new RegExp(`${_id}  Adas +1 `))
    expect(await said('segment', 'show', _id)).toContain(JSON.stringify(groups))
    expect(await run('segment', 'create', 'x', '--groups', 'no JSON')).toMatchObject({ code: 1 })
    expect(await run('segment', 'create', 'x')).toMatchObject({ code: 2 })
    expect(await json('segment', 'delete', _id)).toMatchObject({ name: 'Adas' })
  })
})

describe('posthorn field', () => {
  it('creates, lists and deletes fields by name', async () => {
    expect(await said('field', 'create', 'Favorite Color')).toBe('Field favoriteColor (string)\n')
    expect(await json('field', 'create', 'age', '--type', 'number')).toEqual({ name: 'age', type: 'number' })
    expect(await run('field', 'create', 'x', '--type', 'colour')).toMatchObject({ code: 2 })
    expect(await said('field', 'list')).toContain('favoriteColor  string\n')
    expect(await said('field', 'delete', 'favoriteColor')).toBe('favoriteColor is gone\n')
    expect(await json('field', 'list')).toEqual([{ name: 'age', type: 'number' }])
  })
})

describe('posthorn suppression', () => {
  it('adds, lists and removes suppressions', async () => {
    const { _id } = await json('suppression', 'create', 'ada@example.com', '--reason', 'asked for it')
    expect(await said('suppression', 'list')).toMatch(new RegExp(`${_id}  ada@example.com  asked for it  20`))
    expect(await json('suppression', 'list', '--email', 'ADA@example.com')).toHaveLength(1)
    expect(await json('suppression', 'list', '--email', 'bob@example.com')).toEqual([])
    expect(await run('suppression', 'create', 'ada@example.com')).toMatchObject({ code: 1 })
    expect(await json('suppression', 'delete', _id)).toMatchObject({ email: 'ada@example.com' })
    expect(await said('suppression', 'list')).toBe('Nobody is suppressed.\n')
  })
})

describe('posthorn sender', () => {
  it('creates, lists, orders and deletes senders', async () => {
    const first = await json('sender', 'create', 'hello@example.com', '--name', 'Shop')
    expect(first).toMatchObject({ name: 'Shop', region: 'us-east-1' })
    const second = await json('sender', 'create', 'news@example.com', '--region', 'eu-west-1')
    expect(await said('sender', 'default', second._id)).toBe('news@example.com is the default\n')
    expect((await json('sender', 'list')).map(({ email }: { email: string }) => email)).toEqual([
      'news@example.com',
      'hello@example.com',
    ])
    expect(await run('sender', 'create', 'x@example.com', '--region', 'moon')).toMatchObject({ code: 1 })
    expect(await json('sender', 'delete', second._id)).toEqual({ _id: second._id })
  })
})

describe('posthorn domain', () => {
  it('adds a domain, prints its DNS records, and deletes it', async () => {
    const text = await said('domain', 'create', 'Shop.Example', '--region', 'eu-west-1')
    expect(text).toMatch(
      /^shop\.example in eu-west-1: not verified\n.* lead to localhost, .*\nTYPE +NAME +VALUE +SEEN\nCNAME /,
    )
    expect(text).toMatch(/\nTXT +_dmarc\.shop\.example +v=DMARC1.* no\n$/)
    const [{ _id }] = await json('domain', 'list')
    expect(await said('domain', 'list')).toContain('shop.example  eu-west-1  not verified\n')
    expect(await said('domain', 'show', _id)).toBe(text)
    expect(await json('domain', 'delete', _id)).toEqual({ _id })
    await json('domain', 'create', 'shop.example', '--region', 'eu-west-1')
    expect(await said('domain', 'release', 'shop.example')).toMatch(
      /^shop\.example in eu-west-1 is no longer the project \w{24}’s\n$/,
    )
    expect(await run('domain', 'release', 'shop.example')).toMatchObject({
      code: 1,
      stderr: 'error: Domain not found\n',
    })
  })
})

describe('posthorn webhook', () => {
  it('creates, shows, tests and deletes the webhook, without showing its secret', async () => {
    let posted = ''
    const receiver = createServer((request, response) => {
      request.on('data', (chunk) => {
        posted += chunk
      })
      request.on('end', () => response.end())
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
    expect(await said('webhook', 'show')).toBe('There is no webhook yet.\n')
    expect(await json('webhook', 'create', url, '--secret', secret, '--events', 'sent, failed')).toMatchObject({
      sent: true,
      failed: true,
      open: false,
    })
    const shown = await said('webhook', 'show')
    expect(shown).toBe(`url       ${url}\nevents    sent, failed\nbatches   no\nfailing   no\ndisabled  no\n`)
    expect(await said('webhook', 'test', 'sent')).toBe('The receiver took it\n')
    expect(JSON.parse(posted)).toMatchObject({ type: 'sent' })
    const { core, close } = await (await import('../src/cli/open-command-context.js')).openCommandContext({
      POSTHORN_DATA_DIR: data.path,
      POSTHORN_ALLOW_PRIVATE_WEBHOOKS: 'true',
    })
    const [project] = await core.projects.all()
    const projectId = project?._id ?? ''
    expect(await said('webhooks', 'log')).toBe('There is nothing in the log.\n')
    const mail = {
      deliveryId: 'dispatch:ada',
      emailId: 'e',
      kind: 'campaign',
      subject: 'Hello',
      to: 'a@example.com',
    } as const
    const at = '2026-01-06T12:00:00.000Z'
    await core.webhooks.publish([{ _id: 'one', projectId, at, type: 'sent', mail }])
    posted = ''
    await core.worker.postEvents()
    const first = posted
    expect(await said('webhooks', 'log')).toMatch(
      /^ID +TOLD +TYPE +STATE +ATTEMPTS +LAST\n\w{24} .* sent +delivered +1 +answered 200\n$/,
    )
    const [entry] = await json('webhook', 'log', '--state', 'delivered')
    expect(await said('webhooks', 'replay')).toBe('0 are posted again\n')
    expect(await said('webhooks', 'replay', entry._id)).toBe('1 are posted again\n')
    posted = ''
    await core.worker.postEvents()
    expect(posted).toBe(first)
    expect(await json('webhook', 'enable')).toMatchObject({ url })
    await close()
    expect(await run('webhook', 'create', url, '--secret', secret, '--events', 'flown')).toMatchObject({ code: 1 })
    expect(await said('webhook', 'delete')).toBe(`Nothing is posted to ${url} any more\n`)
    receiver.close()
  })
})

describe('posthorn campaign', () => {
  it('lists campaigns, sends one, and reports', async () => {
    const { core, close } = await (await import('../src/cli/open-command-context.js')).openCommandContext({
      POSTHORN_DATA_DIR: data.path,
    })
    const [project] = await core.projects.all()
    const scope = { projectId: project?._id ?? '', caller: 'operator' } as const
    const list = await core.subscriberLists.create(scope, { name: 'People' })
    await core.subscribers.subscribe(scope, list._id, { email: 'ada@example.com' })
    const { _id } = await core.campaigns.create(scope, {
      name: 'Spring',
      subject: 'Spring',
      type: 'text',
      document: 'It is spring',
      timeZone: 'UTC',
      subscriberListId: list._id,
    })
    expect(await said('campaign', 'list')).toContain(`${_id}  Spring  draft`)
    expect(await said('campaign', 'list', '--status', 'sent')).toBe('No campaign is sent.\n')
    expect(await said('campaign', 'send', _id, '--at', '2999-01-01T10:00')).toBe(
      'Spring is scheduled, to be sent at 2999-01-01T10:00:00.000Z\n',
    )
    expect(await said('campaign', 'send', _id)).toBe('Spring is being sent\n')
    await core.worker.runUntilIdle()
    const report = await said('campaign', 'report', _id, '--days', '2')
    expect(report).toContain(
      'campaign      Spring\nstatus        sent\nrecipients    1\nsent          1 (100.0 %)\nto go         0\nfailed        0 (0.0 %)\n',
    )
    expect(report).toMatch(/\nhttp:\/\/localhost:3000\/report\?token=[\w.-]+\n$/)
    expect(await json('campaign', 'report', _id)).toMatchObject({
      status: 'sent',
      ...{ sent: 1, uniqueOpens: 0, failures: [], exclusions: [], links: [] },
      page: { url: expect.stringContaining('/report?token=') },
    })
    expect(await run('campaign', 'report', _id, '--days', '400')).toMatchObject({ code: 2 })
    expect(await said('campaign', 'exclusions', _id)).toBe('Nobody was left out.\n')
    expect(await json('campaign', 'exclusions', _id, '--reason', 'paused')).toEqual([])
    expect(await said('campaign', 'recipients', _id)).toMatch(/^email,status,reason[^\n]*\n[^\n]*,sent,,[^\n]*\n$/)
    const file = join(data.path, 'recipients.ndjson')
    expect(await json('campaign', 'recipients', _id, file, '--status', 'sent')).toEqual({ recipients: 1, file })
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ status: 'sent', errors: [] })
    expect(await run('campaign', 'recipients', _id, file)).toMatchObject({
      code: 2,
      stderr: `error: There is a file ${file} already.\n`,
    })
    expect(await run('campaign', 'send', _id)).toMatchObject({
      code: 1,
      stderr: 'error: The campaign was sent. To send it again, say when: --at <time>, or --at now.\n',
    })
    await close()
  })
})
