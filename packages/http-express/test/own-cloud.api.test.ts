import { scriptedCloudAccount } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'a-secret-that-opens' }
const region = 'eu-west-1'

let [world, without]: World[] = []
const check = (body: unknown, where = world) => where?.call('checkCloud', { body })

beforeAll(async () => {
  const cloudAccount = scriptedCloudAccount({
    opens: [keys.secretAccessKey],
    verified: { 'eu-west-1': ['post@example.com'] },
  })
  world = await aWorld({ cloudAccount })
  without = await aWorld({ cloudAccount: undefined })
})
afterAll(() => Promise.all([world?.client.close(), without?.client.close()]))

describe('checkCloud', () => {
  it('fails without stored or given credentials', async () => {
    expect(await check({})).toMatchObject({
      status: 400,
      error: {
        name: 'VALIDATION_ERROR',
        message: 'cloudConfig: nothing is stored, and nothing was given to check',
      },
    })
  })

  it('succeeds with given credentials, and does not store them', async () => {
    const answer = await check({ ...keys, region, limit: 14 })
    expect([answer?.status, answer?.result]).toEqual([200, { success: true }])
    expect((await world?.call('getProject'))?.result).not.toHaveProperty('cloudConfig')
  })

  it('succeeds with stored credentials and the reference’s format for senders', async () => {
    await world?.call('updateProject', { body: { cloudConfig: { ...keys, region } } })
    expect((await check({}))?.status).toBe(200)
    const senderIdentities = [{ _id: '1', name: 'Post', email: 'post@example.com' }]
    expect((await check({ senderIdentities }))?.status).toBe(200)
  })

  it.each([
    [{ secretAccessKey: 'wrong-secret' }, 'cloudConfig: The security token'],
    [{ limit: 15 }, 'limit: the account sends at most 14 mails per second in eu-west-1'],
    [{ senderIdentities: [{ email: 'a@b.example' }] }, 'a@b.example is not verified in eu-west-1'],
    [{ roleArn: 'arn:aws:iam::123456789012:role/r', ...keys }, 'not both'],
    [{ region: '169.254.169.254/' }, 'region: expected a region such as eu-west-1'],
    [{ limit: '15' }, 'limit'],
    [{ externalId: 'mine' }, 'Unexpected field: externalId'],
  ])('explains why %j fails', async (body, message) => {
    const answer = await check(body)
    expect(answer).toMatchObject({ status: 400, error: { message: expect.stringContaining(message) } })
    expect(answer?.error?.message).not.toMatch(/wrong-secret|a-secret-that-opens/)
  })

  it('explains that this server has no Amazon SES', async () => {
    expect(await check({ ...keys, region }, without)).toMatchObject({
      status: 400,
      error: { message: 'cloudConfig: this server sends without Amazon SES and cannot look at cloud accounts' },
    })
  })

  it('returns 403 for a wrong key', async () => {
    expect((await world?.call('checkCloud', { key: 'ph_wrong', body: {} }))?.status).toBe(403)
  })
})

describe('updateProject', () => {
  it.each([
    [{ accessKeyId: 'AKIAIOSFODNN7EXAMPLE' }, 'cloudConfig.secretAccessKey'],
    [{ secretAccessKey: 'a-secret-that-opens' }, 'cloudConfig.accessKeyId'],
    [{ roleArn: 'arn:aws:iam::123456789012:role/r', ...keys }, 'cloudConfig'],
    [{ roleArn: 'posthorn' }, 'cloudConfig.roleArn'],
  ])('names the field of cloudConfig that %j lacks or has wrong', async (cloudConfig, field) => {
    const answer = await without?.call('updateProject', { body: { cloudConfig } })
    expect(answer).toMatchObject({ status: 400, error: { violations: [{ field }] } })
  })
})

describe('getSetupLink', () => {
  it('returns the same link each time', async () => {
    const [first, second] = [await world?.call('getSetupLink'), await world?.call('getSetupLink')]
    expect(first?.status).toBe(200)
    expect(first?.result.link).toMatch(/^https:\/\/console\.aws\.amazon\.com\/.+externalId=[\w-]{20,}/)
    expect(first?.result.link).toContain(`externalId=${first?.result.externalId}&`)
    expect(second?.result).toEqual(first?.result)
  })

  it('returns 403 for a wrong key', async () => {
    expect((await world?.call('getSetupLink', { key: 'ph_wrong' }))?.status).toBe(403)
  })
})
