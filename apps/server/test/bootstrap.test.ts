import { createCore } from '@posthorn/core'
import { inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { createFirstAccount, findOnlyProject } from '../src/bootstrap.js'
import { readConfig } from '../src/config.js'
import { firstServerStartText, laterServerStartText, mailSetupWarnings, shellExportLines } from '../src/startup-text.js'

const region = 'eu-west-1'
const config = readConfig({})
const base = 'http://127.0.0.1:3000'
const relay = { SMTP_URL: 'smtp://me:password@relay.example.com:2525', POSTHORN_PUBLIC_URL: 'https://mail.example.com' }

describe('the first start', () => {
  it('creates what a newcomer needs to send, and prints it once', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    const made = await createFirstAccount(core, { region })
    expect((await core.accounts.list()).map(({ credits }) => credits)).toEqual([10_000])
    const text = made ? firstServerStartText(made, config, base) : ''
    for (const part of [made?.projectId, made?.listId, made?.key]) expect(text).toContain(part)
    expect(await createFirstAccount(core, { region })).toBeUndefined()
  })

  it('does not print a given key', async () => {
    const core = createCore(inMemoryPorts().ports)
    const key = 'a-key-that-only-tests-have-0001'
    const made = await createFirstAccount(core, { region, key })
    const text = made ? firstServerStartText(made, config, base) : ''
    expect(text).not.toContain(key)
    expect(text).toContain('export KEY="$POSTHORN_BOOTSTRAP_KEY"\n')
    expect(text.match(/^curl .*"Authorization: Bearer \$KEY"/gm)).toHaveLength(3)
    expect(await core.access.byKey(key)).toMatchObject({ projectId: made?.projectId })
  })

  it('prints the README’s variables as lines that can be pasted', async () => {
    const made = await createFirstAccount(createCore(inMemoryPorts().ports), { region })
    const lines = made ? firstServerStartText(made, config, base).split('\n') : []
    expect(lines.filter((line) => line.startsWith('export '))).toEqual([
      'export POSTHORN=http://127.0.0.1:3000',
      `export ACCOUNT=${made?.accountId}`,
      `export PROJECT=${made?.projectId}`,
      `export LIST=${made?.listId}`,
      `export KEY=${made?.key}`,
    ])
  })

  it('happens once if two processes start together', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    const made = await Promise.all([createFirstAccount(core, { region }), createFirstAccount(core, { region })])
    expect(made.filter((one) => one !== undefined)).toHaveLength(1)
    expect(await core.projects.all()).toHaveLength(1)
  })
})

describe('a later start', () => {
  it('prints the same again, except for the key', async () => {
    const { ports } = inMemoryPorts()
    const made = await createFirstAccount(createCore(ports), { region })
    const known = await findOnlyProject(ports.repositories)
    expect(known).toEqual({ accountId: made?.accountId, projectId: made?.projectId, listId: made?.listId })
    const text = laterServerStartText(known, readConfig({ POSTHORN_DATA_DIR: '/srv/my data' }), base)
    expect(text).toContain(`export PROJECT=${made?.projectId}\n`)
    expect(text).toMatch(
      /\nexport KEY=\$\(node \/\S+\/apps\/server\/bin\/posthorn\.js --data '\/srv\/my data' key create\)\n/,
    )
    expect(text).not.toContain(made?.key)
  })

  it('prints only the URLs if there is no or more than one project', async () => {
    const { ports } = inMemoryPorts()
    const core = createCore(ports)
    expect(await findOnlyProject(ports.repositories)).toBeUndefined()
    const made = await createFirstAccount(core, { region })
    await core.projects.create({ accountId: made?.accountId ?? '', name: 'Second' })
    expect(await findOnlyProject(ports.repositories)).toBeUndefined()
    expect(laterServerStartText(undefined, config, base)).toBe(
      '\nThe console  http://localhost:3000/console\nThe API      http://127.0.0.1:3000/docs\nThe mail     http://127.0.0.1:3000/outbox\n',
    )
  })

  it('omits unknown variables', () => {
    expect(shellExportLines({ A: '1', B: undefined })).toBe('export A=1')
  })
})

describe('the mail lines of a start', () => {
  it.each([
    [{}, 'http://127.0.0.1:3000/outbox'],
    [relay, 'sent by the relay relay.example.com:2525'],
    [{ ...relay, POSTHORN_MAILER: 'ses', AWS_REGION: 'eu-north-1' }, 'sent by Amazon SES in eu-north-1'],
    [
      { HOST: '0.0.0.0', POSTHORN_DATA_DIR: '/srv/data' },
      'files in /srv/data/outbox (POSTHORN_OPERATOR_PASSWORD opens http://127.0.0.1:3000/outbox)',
    ],
    [
      { HOST: '0.0.0.0', POSTHORN_OPERATOR_PASSWORD: 'correct horse battery staple' },
      'http://127.0.0.1:3000/outbox (asks for POSTHORN_OPERATOR_PASSWORD)',
    ],
  ])('say where mails go with %j', (environment, expected) => {
    expect(laterServerStartText(undefined, readConfig(environment), base)).toContain(`\nThe mail     ${expected}\n`)
  })

  it('suggest no campaign to an example address if mails would leave the machine', async () => {
    const made = await createFirstAccount(createCore(inMemoryPorts().ports), { region })
    expect(made && firstServerStartText(made, config, base)).toContain('ada@example.com')
    expect(made && firstServerStartText(made, readConfig(relay), base)).not.toContain('curl')
  })

  const reachable = { check: async () => {} }
  const down = { check: () => Promise.reject(new Error('SMTP server relay.example.com:2525: connection refused')) }
  const warnings = async (environment: Record<string, string>, mailer: typeof reachable, sender = '') => {
    const { ports } = inMemoryPorts()
    const core = createCore({ ...ports, domainVerified: async () => true })
    const made = await createFirstAccount(core, { region })
    const scope = { projectId: made?.projectId ?? '', caller: 'operator' } as const
    if (sender !== '') {
      const { _id } = await core.senderIdentities.create(scope, { email: sender, name: '', region })
      await core.senderIdentities.setDefault(scope, _id)
    }
    const found: string[] = []
    for await (const one of mailSetupWarnings(readConfig(environment), { mailer, repositories: ports.repositories }))
      found.push(one)
    return found
  }

  it('warn that a relay is unreachable, and say what to check', async () => {
    expect(await warnings(relay, down, 'shop@shop.example')).toEqual([
      expect.stringMatching(
        /^Mails wait until they can be sent: SMTP server relay\.example\.com:2525: connection refused\. Check SMTP_URL; node \S+ --data \S+ doctor tries again\.$/,
      ),
    ])
    expect(await warnings({ ...relay, POSTHORN_ROLES: 'api' }, down, 'shop@shop.example')).toEqual([])
  })

  it('warn while the default sender is the first start’s, which no relay accepts', async () => {
    expect(await warnings(relay, reachable)).toEqual([
      expect.stringContaining('hello@example.com by default, which no relay accepts'),
    ])
    expect(await warnings(relay, reachable, 'shop@shop.example')).toEqual([])
  })

  it('warn about nothing if mails stay in the outbox', async () => {
    expect(await warnings({}, down)).toEqual([])
  })
})
