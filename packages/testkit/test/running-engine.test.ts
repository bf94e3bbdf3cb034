import { createCore } from '@posthorn/core'
import { describe, expect, it } from 'vitest'
import { inMemoryPorts, sampleProject } from '../src/index.js'

/** Sends `n` mails of a sandbox, which may send one a second, and notes the second in which each left. */
const sandboxSending = async (n: number) => {
  const { ports, clock, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope } = await sampleProject(core, { production: false })
  const email = await core.transactionalEmails.create(scope, {
    name: 'Receipt',
    subject: 'Receipt',
    type: 'text',
    document: 'Thanks',
  })
  for (let i = 0; i < n; i += 1)
    await core.sends.transactional(scope, { email: `reader${i}@example.com`, transactionalId: email._id })
  const times: string[] = []
  mailer.answer(({ to }) => {
    times.push(`${to} ${clock.now().toISOString()}`)
    return undefined
  })
  await core.worker.start()
  await clock.passUntil(() => mailer.sent.length === n)
  const stopped = core.worker.stop()
  await clock.pass(1000)
  await stopped
  return times
}

describe('an engine on a fixed clock', () => {
  it('keeps its rate by that clock, the same way every time', async () => {
    const times = await sandboxSending(30)
    const seconds = times.map((line) => line.split(' ')[1]?.slice(0, 19))
    expect(new Set(seconds).size).toBe(30)
    expect(await sandboxSending(30)).toEqual(times)
  })
})
