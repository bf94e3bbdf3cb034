import { createCore, type Scope } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const victim = 'victim@example.com'
const minute = 60_000

const start = async ({ credits = 1000 } = {}) => {
  const { ports, clock, mailer, lines } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, account } = await sampleProject(core, { credits })
  const mail = { name: 'C', subject: 'C', type: 'text', document: '{{verifyLink}}' } as const
  const emailId = (await core.transactionalEmails.create(scope, mail))._id
  const doubleOptIn = { active: true, emailId }
  const lists = await Promise.all(
    ['A', 'B'].map(async (name) => (await core.subscriberLists.create(scope, { name, doubleOptIn }))._id),
  )
  const browser: Scope = { ...scope, caller: 'origin' }
  return {
    core,
    account,
    clock,
    lines,
    scope,
    browser,
    lists: lists as [string, string],
    sentTo: async (address = victim) => {
      await core.worker.runUntilIdle()
      return mailer.sent.filter(({ to }) => to === address).length
    },
  }
}

describe('verification mails to one address', () => {
  it('are limited to one in ten minutes, however often the address is resubscribed', async () => {
    const { core, clock, browser, lists, sentTo } = await start()
    for (let turn = 0; turn < 80; turn += 1) {
      const answer = await core.subscribers.subscribe(browser, lists[0], { email: victim })
      expect(answer).toEqual({ status: 'unverified', email: victim })
      await core.subscribers.update(browser, lists[0], victim, { status: 'unsubscribed' })
      clock.advance(6000)
    }
    expect(await sentTo()).toBe(1)
  })

  it('are limited to five a day', async () => {
    const { core, clock, browser, lists, sentTo } = await start()
    const hour = async () => {
      await core.subscribers.subscribe(browser, lists[0], { email: victim })
      await core.contacts.remove(browser, victim)
      clock.advance(60 * minute)
    }
    clock.advance(24 * 60 * minute - (clock.now().getTime() % (24 * 60 * minute)))
    for (let turn = 0; turn < 23; turn += 1) await hour()
    expect(await sentTo()).toBe(5)
    for (let turn = 0; turn < 3; turn += 1) await hour()
    expect(await sentTo()).toBe(7)
  })

  it('are counted across lists, spellings and contacts, and after the contact is removed', async () => {
    const { core, clock, browser, lists, lines, sentTo } = await start()
    await core.subscribers.subscribe(browser, lists[0], { email: victim })
    await core.contacts.remove(browser, victim)
    await core.worker.maintain()
    await core.subscribers.subscribe(browser, lists[1], { email: 'Victim@Example.com' })
    await core.contacts.remove(browser, victim)
    await core.contacts.create(browser, { email: 'mine@example.com' })
    await core.subscribers.subscribe(browser, lists[0], { email: 'mine@example.com' })
    await core.contacts.update(browser, 'mine@example.com', { email: victim })
    expect(await sentTo()).toBe(1)
    expect(lines.filter(({ message }) => message.includes('verification mail was left out'))).toHaveLength(2)
    expect(JSON.stringify(lines).toLowerCase()).not.toContain(victim)
    clock.advance(10 * minute)
    await core.worker.maintain()
    await core.subscribers.resendVerification(browser, lists[0], victim)
    expect(await sentTo()).toBe(2)
  })

  it('are refused to a team that sends one again too early, with the time it must wait', async () => {
    const { core, clock, scope, lists, sentTo } = await start()
    clock.advance(24 * 60 * minute - (clock.now().getTime() % (24 * 60 * minute)))
    await core.subscribers.subscribe(scope, lists[0], { email: victim })
    const again = () => core.subscribers.resendVerification(scope, lists[0], victim)
    const refusedFor = async (wait: string) => {
      const message = `The address has had a confirmation mail within ten minutes, or five today. Try again in ${wait}.`
      await expect(again()).rejects.toMatchObject({ kind: 'blocked', message })
    }
    await refusedFor('10 minutes')
    clock.advance(8.5 * minute)
    await refusedFor('2 minutes')
    clock.advance(0.5 * minute)
    await refusedFor('a minute')
    for (let more = 0; more < 4; more += 1) {
      clock.advance(10 * minute)
      await expect(again()).resolves.toEqual({ success: true })
    }
    clock.advance(11 * minute)
    await refusedFor('23 hours')
    await refusedFor('23 hours')
    clock.advance(22 * 60 * minute)
    await refusedFor('60 minutes')
    expect(await sentTo()).toBe(5)
  })

  it('are sent once for concurrent requests', async () => {
    const { core, browser, lists, sentTo } = await start()
    const asked = Array.from({ length: 20 }, (_, n) =>
      core.subscribers.subscribe(browser, lists[n % 2] as string, { email: victim }),
    )
    await Promise.allSettled(asked)
    expect(await sentTo()).toBe(1)
  })

  it('are not counted if they could not be sent, nor for other addresses', async () => {
    const { core, account, browser, lists, sentTo } = await start({ credits: 0 })
    const subscribe = (email: string) => core.subscribers.subscribe(browser, lists[0], { email })
    await expect(subscribe(victim)).rejects.toMatchObject({ kind: 'blocked' })
    await core.accounts.addCredit(account._id, 10)
    await subscribe(victim)
    await subscribe('other@example.com')
    expect([await sentTo(), await sentTo('other@example.com')]).toEqual([1, 1])
  })
})
