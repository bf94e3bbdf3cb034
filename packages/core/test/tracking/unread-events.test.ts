import { createCore } from '@posthorn/core'
import { fixedClock, inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const day = 24 * 60 * 60_000

const aCore = () => {
  const logged: string[] = []
  const clock = fixedClock()
  const { ports } = inMemoryPorts({ clock, log: (level, message) => void logged.push(`${level}: ${message}`) })
  return { logged, clock, unread: createCore(ports).unreadEvents }
}
const event = { source: 'ses', reason: 'mail: expected object', text: '{"eventType":"Bounce"}' }

describe('an unreadable event', () => {
  it('is stored as received, and logged as an error', async () => {
    const { unread, logged, clock } = aCore()
    await unread.keep(event)
    expect(await unread.list()).toMatchObject([{ ...event, createdAt: clock.now().toISOString() }])
    expect(logged).toEqual([expect.stringMatching(/^error: .*posthorn ses unread/)])
  })

  it('is truncated if it is very long', async () => {
    const { unread } = aCore()
    await unread.keep({ ...event, text: 'x'.repeat(300_000) })
    expect((await unread.list())[0]?.text).toHaveLength(16 * 1024)
  })

  it('is dropped for newer ones of its source only', async () => {
    const { unread } = aCore()
    await unread.keep({ ...event, source: 'ses:quiet' })
    for (let n = 0; n < 203; n += 1) await unread.keep({ ...event, text: String(n) })
    const kept = await unread.list()
    expect(kept.filter(({ source }) => source === 'ses').map(({ text }) => text)).toEqual(
      Array.from({ length: 200 }, (_, n) => String(n + 3)),
    )
    expect(kept.filter(({ source }) => source === 'ses:quiet')).toHaveLength(1)
  })

  it('is removed after 30 days, or by the operator', async () => {
    const { unread, clock } = aCore()
    await unread.keep(event)
    clock.advance(20 * day)
    await unread.keep({ ...event, text: 'later' })
    clock.advance(11 * day)
    await unread.prune()
    expect((await unread.list()).map(({ text }) => text)).toEqual(['later'])
    expect(await unread.clear()).toBe(1)
    expect(await unread.list()).toEqual([])
  })
})
