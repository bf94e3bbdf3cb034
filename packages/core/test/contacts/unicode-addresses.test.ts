import { createCore } from '@posthorn/core'
import { SendTriggered, violationSentences } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const region = 'eu-west-1'
const ascii = 'Ada@xn--bcher-kva.example'

const start = async () => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  return { core, ports, ...(await sampleProject(core)) }
}

describe('an address with a Unicode domain', () => {
  it('is the same contact as its ASCII form, found and changed by either', async () => {
    const { core, scope } = await start()
    expect((await core.contacts.create(scope, { email: ' Ada@bücher.example ' })).email).toBe(ascii)
    await expect(core.contacts.create(scope, { email: ascii })).rejects.toThrow('Email already exists.')
    expect((await core.contacts.get(scope, 'ada@BÜCHER.example')).email).toBe(ascii)
    const filter = { email: 'ada@bücher.example' }
    expect((await core.contacts.list(scope, { limit: 10, skip: 0, filter })).count).toBe(1)
    expect((await core.contacts.update(scope, ' ada@bücher.example', { email: 'bob@пример.example' })).email).toBe(
      'bob@xn--e1afmkfd.example',
    )
  })

  it('is imported in its ASCII form', async () => {
    const { core, scope } = await start()
    const rows = ['Ada@bücher.example', ascii, 'ada@xn--a.example', 'ädä@bücher.example'].map((email, index) => ({
      line: index + 2,
      values: { email },
    }))
    const results = []
    for await (const result of core.contacts.import(scope, rows, {}))
      results.push(result.ok ? result.outcome : result.error)
    expect(results).toEqual([
      'created',
      'unchanged',
      'Invalid email format',
      'Invalid email format: the part before the @ has to be in ASCII',
    ])
  })

  it('is suppressed in both forms', async () => {
    const { core, scope, list } = await start()
    await core.suppressions.create(scope, { email: 'Ada@bücher.example', reason: 'manual' })
    await expect(core.suppressions.create(scope, { email: ascii, reason: 'manual' })).rejects.toMatchObject({
      kind: 'duplicate',
    })
    await expect(core.subscribers.subscribe(scope, list._id, { email: ascii })).rejects.toMatchObject({
      kind: 'blocked',
    })
    const filter = { email: 'ada@bücher.example' }
    expect((await core.suppressions.list(scope, { limit: 10, skip: 0, filter })).count).toBe(1)
  })

  it('can be a sender of the stored domain', async () => {
    const { core, scope } = await start()
    await core.domains.create(scope, { domain: ' Bücher.example ', region })
    const sender = await core.senderIdentities.create(
      { ...scope, caller: 'operator' },
      { email: 'ada@bücher.example', name: 'Ada', region },
    )
    expect(sender.email).toBe('ada@xn--bcher-kva.example')
    await expect(
      core.domains.remove(scope, (await core.domains.list(scope)).items[0]?._id ?? ''),
    ).rejects.toMatchObject({ kind: 'blocked' })
  })

  it('can be among a send’s addresses', () => {
    expect(SendTriggered.parse({ triggeredId: 'x', emails: [' Ada@bücher.example'] }).emails).toEqual([ascii])
    const told = (email: string) =>
      violationSentences(SendTriggered, { triggeredId: 'x', emails: ['a@example.com', email] })
    expect(told('ada@bücher')).toEqual(['Invalid emails format'])
    expect(told('ädä@bücher.example')).toEqual(['Invalid emails format: the part before the @ has to be in ASCII'])
  })
})

describe('a whitelist', () => {
  it.each([
    ['shop.bücher.example', 'shop.xn--bcher-kva.example'],
    [' Shop.Example.com ', 'shop.example.com'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
  ])('stores %j as %s', async (given, kept) => {
    const { core, scope, project } = await start()
    expect((await core.projects.update(scope, { whiteList: [given] })).whiteList).toEqual([kept])
    expect(await core.access.allowsOrigin(project._id, `https://${kept}`, 'full')).toBe(true)
  })

  it.each(['https://bücher.example', 'bücher.example/x', 'bücher', 'xn--a.example', 'a b', '', 'אa.example'])(
    'rejects %j',
    async (given) => {
      const { core, scope } = await start()
      await expect(core.projects.update(scope, { whiteList: [given] })).rejects.toThrow(
        'whiteList[0]: expected a bare domain, without protocol or path',
      )
    },
  )
})
