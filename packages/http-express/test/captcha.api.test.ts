import { readCaptchaText, solvedChallenge } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
beforeAll(async () => {
  world = await aWorld()
})
afterAll(() => world.client.close())

describe('getCaptcha', () => {
  it('returns a new picture and probe each time, without a key', async () => {
    const answers = [await world.client.call('getCaptcha'), await world.client.call('getCaptcha')]
    for (const { status, result } of answers) {
      expect(status).toBe(200)
      await world.core.captchas.assertSolved({ captchaText: readCaptchaText(result.data), captchaProbe: result.probe })
    }
    expect(new Set(answers.map(({ result }) => result.probe)).size).toBe(2)
  })

  it('may be read from any Origin, and is not cached', async () => {
    const { headers } = await world.client.call('getCaptcha', { headers: { origin: 'https://anywhere.example' } })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('rejects query parameters', async () => {
    expect((await world.client.call('getCaptcha', { query: { text: 'MINE' } })).status).toBe(400)
  })
})

describe('getChallenge', () => {
  const signupFormId = '0'.repeat(24)

  it('returns a new proof of work for the form each time, without a key', async () => {
    const asked = async () => (await world.client.call('getChallenge', { query: { signupFormId } })).result
    const [one, other] = [await asked(), await asked()]
    expect(one.maxnumber).toBe(world.ports.settings.challengeCost)
    expect(await world.core.proofOfWork.isSolved(signupFormId, solvedChallenge(one))).toBe(true)
    expect(other.challenge).not.toBe(one.challenge)
  })

  it('may be read from any Origin, and is not cached', async () => {
    const { headers } = await world.client.call('getChallenge', {
      query: { signupFormId },
      headers: { origin: 'https://anywhere.example' },
    })
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  it('rejects a missing or malformed form id', async () => {
    expect(await world.client.call('getChallenge')).toMatchObject({
      status: 400,
      error: { message: 'Missing required field: signupFormId' },
    })
    expect((await world.client.call('getChallenge', { query: { signupFormId: 'x&expires=9' } })).status).toBe(400)
  })
})
