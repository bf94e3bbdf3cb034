import { createCore } from '@posthorn/core'
import { issueToken } from '@posthorn/core/ports/transport'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { toBase64url } from '../../src/kernel/base64url.js'

const email = 'ada@example.com'

/** A project whose one list asks to confirm, and tokens as they were when they named the project. */
const start = async () => {
  const { ports, clock } = inMemoryPorts()
  const core = createCore(ports)
  const { scope } = await sampleProject(core)
  const mail = { name: 'C', subject: 'C', type: 'text', document: '{{verifyLink}}' } as const
  const emailId = (await core.transactionalEmails.create(scope, mail))._id
  const list = await core.subscriberLists.create(scope, { name: 'Careful', doubleOptIn: { active: true, emailId } })
  await core.subscribers.subscribe(scope, list._id, { email })
  const { _id: c } = await core.contacts.get(scope, email)
  const old = (payload: object) => {
    const body = toBase64url(JSON.stringify(payload))
    return `${body}.${ports.secrets.sign(body)}`
  }
  const x = clock.now().getTime() / 1000 + 60
  return {
    core,
    scope,
    list: list._id,
    verify: old({ purpose: 'verify', p: scope.projectId, c, l: [list._id], x }),
    preferences: old({ purpose: 'preferences', p: scope.projectId, c }),
    unsubscribe: old({ purpose: 'unsubscribe', l: list._id, c, d: '7'.repeat(24) }),
    status: async (address = email) => (await core.subscribers.get(scope, list._id, address)).status,
  }
}

describe('an older token, which names the project and no address', () => {
  it('still confirms, shows and changes preferences, and unsubscribes', async () => {
    const { core, list, verify, preferences, unsubscribe, status } = await start()
    await core.subscribers.verify(verify)
    expect(await status()).toBe('active')
    expect((await core.subscribers.preferences(preferences)).email).toBe(email)
    await core.subscribers.unsubscribe(list, unsubscribe)
    expect(await status()).toBe('unsubscribed')
    await core.subscribers.changePreferences(preferences, { lists: [{ _id: list, status: 'active' }] })
    expect(await status()).toBe('active')
  })

  it('confirms no other address than the one that it went to, but unsubscribes that one, too', async () => {
    const { core, scope, list, verify, preferences, unsubscribe, status } = await start()
    await core.contacts.update(scope, email, { email: 'new@example.com' })
    await expect(core.subscribers.verify(verify)).rejects.toMatchObject({ kind: 'forbidden' })
    const join = core.subscribers.changePreferences(preferences, { lists: [{ _id: list, status: 'active' }] })
    await expect(join).rejects.toMatchObject({ kind: 'blocked' })
    await core.subscribers.unsubscribe(list, unsubscribe)
    expect(await status('new@example.com')).toBe('unsubscribed')
  })

  it('is no token with one sign changed', async () => {
    const { core, verify } = await start()
    const other = verify.replace(/^./, (first) => (first === 'e' ? 'f' : 'e'))
    await expect(core.subscribers.verify(other)).rejects.toMatchObject({ kind: 'forbidden' })
  })
})

it('a token is as short as one that named the project', () => {
  const { ports } = inMemoryPorts()
  const [id, d] = ['1'.repeat(24), '2'.repeat(24)]
  const token = issueToken(ports.secrets, { purpose: 'preferences', c: id, a: '0'.repeat(20), d })
  const old = toBase64url(JSON.stringify({ purpose: 'preferences', p: id, c: id, d }))
  expect(token.split('.')[0]?.length).toBeLessThanOrEqual(old.length)
})
