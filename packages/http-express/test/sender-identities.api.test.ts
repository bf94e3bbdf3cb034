import { sampleProject } from '@posthorn/testkit'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
const worlds: World[] = []
beforeEach(async () => {
  world = await aWorld({ domainVerified: undefined })
  worlds.push(world)
  const { result } = await world.call('createDomain', { body: { domain: 'shop.example', region } })
  world.dns.publish(result.requiredDns)
  await world.call('checkDomain', { params: { domainId: result._id } })
})
afterAll(() => Promise.all(worlds.map(({ client }) => client.close())))

const region = 'eu-west-1'
const create = (body: unknown) => world.call('createSenderIdentity', { body })
const addresses = async () => (await world.call('listSenderIdentities')).result.items.map(({ email }) => email)
const identified = (identityId: string) => ({ params: { identityId } })

describe('createSenderIdentity', () => {
  it('adds an address of a verified domain at the end', async () => {
    const { status, result } = await create({ email: 'ada@shop.example', name: 'Ada', region })
    expect(status).toBe(201)
    expect(result).toMatchObject({ email: 'ada@shop.example', name: 'Ada', region })
    expect(await addresses()).toEqual(['post@example.com', 'no-reply@shop.example', 'ada@shop.example'])
  })

  it.each([
    [{}, 'Missing required field: email; Missing required field: region'],
    [{ email: 'ada@other.example', region }, 'email: the domain other.example is not verified in eu-west-1'],
    [{ email: 'ada@shop.example', region: 'us-east-1' }, 'not verified in us-east-1'],
    [{ email: 'ada@shop.example', region: 'mars-1' }, 'region: expected one of us-east-1'],
    [{ email: 'no-reply@SHOP.example', region }, 'is a sender identity in eu-west-1 already'],
    [{ email: 'ada', region }, 'Invalid email format'],
    [{ email: 'ada@shop.example', region, name: 'A\r\nBcc: b@c.example' }, 'name: must not contain line breaks'],
    [{ email: 'ada@shop.example', region, position: 0 }, 'Unexpected field: position'],
  ])('rejects %j', async (body, message) => {
    expect(await create(body)).toMatchObject({
      status: 400,
      error: { name: 'VALIDATION_ERROR', message: expect.stringContaining(message) },
    })
  })
})

describe('setDefaultSenderIdentity', () => {
  it('moves it to the front, as the default sender', async () => {
    const { result } = await create({ email: 'ada@shop.example', region })
    expect((await world.call('setDefaultSenderIdentity', identified(result._id))).status).toBe(200)
    expect(await addresses()).toEqual(['ada@shop.example', 'post@example.com', 'no-reply@shop.example'])
  })

  it('does not find one of another project', async () => {
    const { sender } = await sampleProject(world.core, { name: 'Other' })
    expect((await world.call('setDefaultSenderIdentity', identified(sender._id))).status).toBe(404)
  })
})

describe('deleteSenderIdentity', () => {
  it('is blocked while an email uses it', async () => {
    const { _id } = (await create({ email: 'ada@shop.example', region })).result
    const body = { name: 'Hello', subject: 'Hello', type: 'text', document: 'Hello', senderIdentity: _id }
    const email = (await world.call('createTransactionalEmail', { body })).result
    expect(await world.call('deleteSenderIdentity', identified(_id))).toMatchObject({
      status: 405,
      error: { name: 'METHOD_NOT_ALLOWED', message: 'The sender identity is in use by the email Hello.' },
    })
    await world.call('updateTransactionalEmail', { params: { id: email._id }, body: { senderIdentity: '' } })
    const { status, result } = await world.call('deleteSenderIdentity', identified(_id))
    expect([status, result]).toEqual([200, { _id }])
    expect((await world.call('deleteSenderIdentity', identified(_id))).status).toBe(404)
  })
})

it('another project’s key neither sees nor changes sender identities', async () => {
  const { key } = await sampleProject(world.core, { name: 'Other' })
  expect((await world.call('listSenderIdentities', { key })).status).toBe(403)
  const body = { email: 'ada@shop.example', region }
  expect((await world.call('createSenderIdentity', { key, body })).status).toBe(403)
})
