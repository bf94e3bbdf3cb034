import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
const ids = { campaign: '', triggered: '', transactional: '' }
let privateList = ''

beforeAll(async () => {
  world = await aWorld()
  const shared = { name: 'N', subject: 'Hello {{n}}', type: 'text', document: 'To {{contact.email}}' }
  const subscriberListId = world.project.list._id
  ids.campaign = (
    await world.call('createCampaign', { body: { ...shared, subscriberListId, timeZone: 'UTC' } })
  ).result._id
  ids.triggered = (await world.call('createTriggeredEmail', { body: { ...shared, subscriberListId } })).result._id
  ids.transactional = (await world.call('createTransactionalEmail', { body: shared })).result._id
  privateList = (await world.call('createSubscriberList', { body: { name: 'Us', private: true } })).result._id
  for (const email of ['ada@example.com', 'bea@example.com'])
    await world.call('subscribe', { params: { id: privateList }, body: { email } })
  await world.project.subscribe(2)
})
afterAll(() => world.client.close())

const kinds = ['campaign', 'triggered', 'transactional'] as const

describe.each(kinds)('a test of a %s email', (type) => {
  const test = (body: object, id = ids[type]) =>
    world.call('sendTestEmail', { params: { id }, body: { type, ...body } })
  const sentBy = async (body: object) => {
    const before = world.mailer.sent.length
    expect(await test(body)).toMatchObject({ status: 200, result: { success: true } })
    await world.core.worker.runUntilIdle()
    return world.mailer.sent
      .slice(before)
      .map(({ to }) => to)
      .sort()
  }

  it('goes to the address, takes a credit, and changes no statistics', async () => {
    const credits = await world.project.credits()
    expect(await sentBy({ email: 'Me@example.com', data: { n: 1 } })).toEqual(['Me@example.com'])
    expect(world.mailer.sent.at(-1)?.mime).toContain('Subject: Hello 1')
    expect(await world.project.credits()).toBe(credits - 1)
    const kind = { campaign: 'Campaign', triggered: 'TriggeredEmail', transactional: 'TransactionalEmail' } as const
    const params = { id: ids[type] }
    expect((await world.call(`get${kind[type]}Stats`, { params })).result).toMatchObject({ sent: 0, failed: 0 })
    expect((await world.call(`list${kind[type]}Recipients`, { params })).result.count).toBe(0)
  })

  it('lists merge tags without a value, and has links that change nothing', async () => {
    const document = '{{unsubscribeLink}}|{{pauseSubscriptionLink}}|{{verifyLink}}|{{order}}'
    const kind = { campaign: 'Campaign', triggered: 'TriggeredEmail', transactional: 'TransactionalEmail' } as const
    const warning = expect.stringContaining('document: line 1, column 64: order has no value')
    const changed = await world.call(`update${kind[type]}`, { params: { id: ids[type] }, body: { document } })
    expect(changed.result.warnings).toEqual([expect.stringContaining('subject: line 1, column 9'), warning])
    expect((await test({ email: 'me@example.com', data: { n: 1 } })).result).toMatchObject({
      success: true,
      warnings: [warning],
    })
    await world.core.worker.runUntilIdle()
    const mime = (world.mailer.sent.at(-1)?.mime ?? '').replace(/=\r\n/g, '').replaceAll('=3D', '=')
    const link = 'https://posthorn\\.example\\.com/test-link\\?token=[\\w.-]+'
    const links = type === 'transactional' ? `\\|\\|${link}\\|` : `${link}\\|${link}\\|\\|`
    expect(mime).toMatch(new RegExp(`\\r\\n${links}\\r\\n`))
    const { result } = await test({ email: 'me@example.com', data: { n: 1, order: 7 } })
    expect(result).toMatchObject({ success: true })
    expect(result).not.toHaveProperty('warnings')
    await world.core.worker.runUntilIdle()
    await world.call(`update${kind[type]}`, { params: { id: ids[type] }, body: { document: 'To {{contact.email}}' } })
  })

  it('goes to a private list, and to no public one', async () => {
    expect(await sentBy({ subscriberListId: privateList })).toEqual(['ada@example.com', 'bea@example.com'])
    expect(await test({ subscriberListId: world.project.list._id })).toMatchObject({
      status: 400,
      error: { message: 'subscriberListId: test emails can be sent to private lists only' },
    })
  })

  it('is refused without a target, or with two', async () => {
    const message = 'Either email or subscriberListId is given, and not both.'
    expect(await test({})).toMatchObject({ status: 400, error: { message } })
    expect(await test({ email: 'a@example.com', subscriberListId: privateList })).toMatchObject({
      status: 400,
      error: { message },
    })
    expect((await test({ email: 'nobody' })).status).toBe(400)
    expect(await test({ subscriberListId: '0'.repeat(24) })).toMatchObject({
      status: 404,
      error: { message: 'Subscriber list not found' },
    })
  })

  it('is refused for an email of another kind, and for a suppressed address', async () => {
    const other = kinds.find((one) => one !== type) ?? type
    expect((await test({ email: 'a@example.com' }, ids[other])).status).toBe(404)
    await world.call('createSuppression', { body: { email: `${type}@example.com`, reason: 'asked us' } })
    expect(await test({ email: `${type}@example.com` })).toMatchObject({
      status: 405,
      error: { message: 'The provided email is on the suppression list.' },
    })
  })
})

it('a test of a campaign keeps it a draft', async () => {
  expect((await world.call('getCampaign', { params: { id: ids.campaign } })).result.status).toBe('draft')
})
