import { createCore } from '@posthorn/core'
import { aDelivery, aDispatch, inMemoryPorts, numberedId, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { MailSearchQuery, mailSearches } from '../../src/mail-history/mail-search.js'
import type { Delivery } from '../../src/sending/ledger/delivery.js'

const secondsLater = (n: number) => new Date(Date.parse('2026-01-06T12:00:00.000Z') + n * 1_000).toISOString()

const aWorld = async () => {
  const world = inMemoryPorts()
  const core = createCore(world.ports)
  const { scope, list } = await sampleProject(core)
  const { projectId } = scope
  const text = { subject: 'News from the shop', type: 'text', document: 'Hello' } as const
  const { _id: emailId } = await core.campaigns.create(scope, {
    ...{ ...text, name: 'Letter', timeZone: 'UTC', subscriberListId: list._id },
  })
  const dispatchId = numberedId(0xd1)
  const accept = (rows: readonly Partial<Delivery>[], kind: 'campaign' | 'direct' = 'campaign', _id = dispatchId) =>
    world.ports.deliveries.accept({
      dispatch: aDispatch({ _id, projectId, emailId, kind, stage: 'sending' }),
      deliveries: rows.map((given, n) =>
        aDelivery({
          dispatchId: _id,
          projectId,
          emailId,
          contactId: numberedId(n),
          createdAt: secondsLater(n),
          ...given,
        }),
      ),
      takes: [],
    })
  const search = (query: object = {}) => core.mailHistories.search(scope, MailSearchQuery.parse(query))
  const emails = async (query: object = {}) => (await search(query)).items.map(({ email }) => email)
  world.clock.advance(Math.max(0, Date.parse(secondsLater(100_000)) - world.clock.now().getTime()))
  return { ...world, core, scope, accept, search, emails }
}

const five: readonly Partial<Delivery>[] = [
  { email: 'a@x.example', status: 'sent', sentAt: secondsLater(1) },
  { email: 'b@x.example', status: 'failed', error: { name: '550', message: '550 5.1.1 User Unknown' } },
  { email: 'c@x.example', status: 'excluded', reason: 'suppressed' },
  { email: 'd@x.example', status: 'sent', returned: { name: '5.2.2', message: 'Mailbox full' }, subject: 'For Dora' },
  { email: 'A@X.example', status: 'queued' },
]

describe('a search for mails', () => {
  it('finds all, the newest first, with the subject and the name of their email', async () => {
    const { accept, search, emails } = await aWorld()
    await accept(five)
    expect(await emails()).toEqual(['A@X.example', 'd@x.example', 'c@x.example', 'b@x.example', 'a@x.example'])
    const [first, second] = (await search()).items
    expect(first).toMatchObject({
      name: 'Letter',
      subject: 'News from the shop',
      kind: 'campaign',
      status: 'scheduled',
    })
    expect(second).toMatchObject({ subject: 'For Dora', errors: [{ name: '5.2.2', message: 'Mailbox full' }] })
  })

  it.each([
    ['address in any spelling', { email: 'A@x.example' }, ['A@X.example', 'a@x.example']],
    ['part of the subject', { subject: 'DORA' }, ['d@x.example']],
    ['status', { status: 'failed' }, ['b@x.example']],
    ['reason of a failure', { reason: 'user unknown' }, ['b@x.example']],
    ['reason of a bounce', { reason: 'mailbox' }, ['d@x.example']],
    ['reason for an exclusion', { reason: 'suppressed' }, ['c@x.example']],
    ['status and subject together', { status: 'sent', subject: 'shop' }, ['e@x.example', 'a@x.example']],
    ['kind', { kind: 'direct' }, ['e@x.example']],
    ['time', { from: secondsLater(1), to: secondsLater(3) }, ['c@x.example', 'b@x.example']],
    ['time and address', { email: 'a@x.example', from: secondsLater(1) }, ['A@X.example']],
  ])('filters by %s', async (_name, query, found) => {
    const { accept, emails } = await aWorld()
    await accept(five)
    await accept([{ email: 'e@x.example', createdAt: secondsLater(10), status: 'sent' }], 'direct', numberedId(0xd2))
    expect(await emails(query)).toEqual(found)
  })

  it.each([{}, { email: 'a@x.example' }, { subject: 'shop' }])('finds each once, page by page (%o)', async (query) => {
    const { accept, search } = await aWorld()
    const many = Array.from({ length: 25 }, (_, n) => ({
      email: 'a@x.example',
      createdAt: secondsLater(Math.floor(n / 4)),
      contactId: numberedId(n),
    }))
    await accept(many)
    const ids: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await search({ ...query, limit: '10', ...(after && { after }) })
      ids.push(...page.items.map(({ deliveryId }) => deliveryId))
      after = page.next
      if (after === undefined) break
    }
    expect(ids).toHaveLength(25)
    expect(new Set(ids).size).toBe(25)
  })

  it('stops after 5,000 mails, says how far it came, and goes on from there', async () => {
    const { accept, search } = await aWorld()
    await accept(
      Array.from({ length: 5_400 }, (_, n) => ({
        ...(n === 3 && { status: 'excluded' as const, reason: 'paused' as const }),
        createdAt: secondsLater(n),
      })),
    )
    const first = await search({ reason: 'paused' })
    expect(first).toMatchObject({ items: [], searchedTo: secondsLater(400), next: expect.any(String) })
    const second = await search({ reason: 'paused', after: first.next })
    expect(second.items).toHaveLength(1)
    expect(second.next).toBeUndefined()
  })

  it('finds a failed mail among many others at once', async () => {
    const { accept, search } = await aWorld()
    const error = { name: '550', message: 'No' }
    await accept(
      Array.from({ length: 6_000 }, (_, n) => ({
        ...(n === 3 && { status: 'failed' as const, error }),
        createdAt: secondsLater(n),
      })),
    )
    const { items, next } = await search({ status: 'failed' })
    expect([items.length, next]).toEqual([1, undefined])
  })

  it('sees no other project', async () => {
    const { accept, core } = await aWorld()
    await accept(five)
    const other = await sampleProject(core, { name: 'Other' })
    expect((await core.mailHistories.search(other.scope, MailSearchQuery.parse({}))).items).toEqual([])
  })

  it.each(['', 'x', '2026-01-06T12:00:00.000Z', '2026-01-06T12:00:00.000Z~%', '~a', '9~a'])(
    'refuses the wrong cursor “%s”',
    (after) => {
      expect(MailSearchQuery.safeParse({ after }).success).toBe(false)
    },
  )

  it('is exported as a file, in which no cell is a formula', async () => {
    const { accept, core, scope } = await aWorld()
    await accept([{ email: 'a@x.example', status: 'failed', error: { name: '550', message: 'No' }, subject: '=1+1' }])
    let text = ''
    for await (const chunk of core.mailHistories.exportFound(scope, { status: 'failed' })) text += chunk
    const [head, row] = text.trim().split('\n')
    expect(head).toMatch(/^email,subject,kind,name,status,reason,/)
    expect(row).toMatch(/^a@x\.example,'=1\+1,campaign,Letter,failed,550 No,/)
  })

  it('among more than 100,000 mails to one address says how far it came, and ends', async () => {
    const searchIn = async (mails: number) => {
      const items = Array.from({ length: mails }, (_, at) =>
        aDelivery({ _id: numberedId(at), email: 'a@x.example', status: 'queued', createdAt: secondsLater(mails - at) }),
      )
      const { search } = mailSearches({
        deliveries: {
          list: async ({ skip, limit }) => ({ items: items.slice(skip, skip + limit), count: items.length }),
          newest: async () => [],
        },
        described: async () => [],
        clock: () => new Date(secondsLater(mails)),
      })
      const query = MailSearchQuery.parse({ email: 'a@x.example', status: 'sent' })
      let found = await search({ projectId: 'p', caller: 'operator' }, query)
      while (found.next) found = await search({ projectId: 'p', caller: 'operator' }, { ...query, after: found.next })
      return found
    }
    expect(await searchIn(5_100)).toEqual({ items: [] })
    expect(await searchIn(100_100)).toEqual({ items: [], searchedTo: secondsLater(101) })
  })
})
