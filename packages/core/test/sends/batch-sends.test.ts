import { createCore, type SendBatch } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const aProject = async (credits = 10_000) => {
  const { ports, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, account } = await sampleProject(core, { credits })
  const { _id: transactionalId } = await core.transactionalEmails.create(scope, {
    name: 'Receipt',
    subject: 'Order {{n}}',
    type: 'text',
    document: '{{contact.email}} {{n}}',
  })
  const batch = (input: SendBatch, requestId?: string) =>
    core.sends.batch(requestId === undefined ? scope : { ...scope, requestId }, input)
  const sentTo = async () => {
    await core.worker.runUntilIdle()
    return mailer.sent.map(({ to }) => to)
  }
  const used = async () => credits - (await core.accounts.get(account._id)).credits
  return { core, scope, ports, mailer, transactionalId, batch, sentTo, used }
}

const mailsTo = (n: number) => Array.from({ length: n }, (_, i) => ({ email: `r${i}@example.com`, data: { n: i } }))

describe('a batch', () => {
  it('accepts and rejects each mail by itself, in order', async () => {
    const { core, scope, transactionalId, batch, sentTo, used } = await aProject()
    await core.suppressions.create(scope, { email: 'gone@example.com', reason: 'bounce' })
    const { accepted, results } = await batch({
      transactionalId,
      mails: [
        { email: 'a@example.com' },
        { email: 'nobody' },
        { email: 'Gone@example.com' },
        { email: 'b@example.com', transactionalId: 'none' },
        { email: 'c@example.com', attachments: [{ filename: 'a.txt', content: btoa('A') }] },
      ],
    })
    expect(accepted).toBe(2)
    expect(results.map(({ email, error }) => [email, error?.name])).toEqual([
      ['a@example.com', undefined],
      ['nobody', 'invalid'],
      ['Gone@example.com', 'blocked'],
      ['b@example.com', 'not-found'],
      ['c@example.com', undefined],
    ])
    expect((await sentTo()).sort()).toEqual(['a@example.com', 'c@example.com'])
    expect(await used()).toBe(2)
  })

  it('accepts as many mails as the credit pays for, the first ones', async () => {
    const { transactionalId, batch, sentTo, used } = await aProject(300)
    const { results } = await batch({ transactionalId, mails: mailsTo(500) })
    expect(results.slice(0, 300).every(({ accepted }) => accepted)).toBe(true)
    expect(results.slice(300).every(({ error }) => error?.message === 'Insufficient credits available')).toBe(true)
    expect(await sentTo()).toHaveLength(300)
    expect(await used()).toBe(300)
  })

  it('sends nothing twice when it is repeated under the same request', async () => {
    const { transactionalId, batch, sentTo, used } = await aProject()
    const requestId = '69280e5c8f1c4a2b9d3e7f10'
    const first = await batch({ transactionalId, mails: mailsTo(20) }, requestId)
    expect(await batch({ transactionalId, mails: mailsTo(20) }, requestId)).toEqual(first)
    expect(await sentTo()).toHaveLength(20)
    expect(await used()).toBe(20)
  })

  it('renders each mail with its own data', async () => {
    const { transactionalId, batch, sentTo, mailer } = await aProject()
    await batch({ transactionalId, mails: mailsTo(3) })
    await sentTo()
    expect(
      mailer.sent.map(({ mime }) => /Order \d/.exec(mime)?.[0] ?? '').toSorted((a, b) => a.localeCompare(b)),
    ).toEqual(['Order 0', 'Order 1', 'Order 2'])
  })

  it('is refused as a whole if its data are larger than 1 MB', async () => {
    const { transactionalId, batch, used } = await aProject()
    const mails = Array.from({ length: 2 }, () => ({ email: 'a@example.com', data: { text: 'x'.repeat(600_000) } }))
    await expect(batch({ transactionalId, mails })).rejects.toThrow('expected at most 1 MB of JSON in the data of all')
    expect(await used()).toBe(0)
  })
})
