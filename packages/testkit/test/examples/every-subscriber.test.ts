import { createCore } from '@posthorn/core'
import * as kit from '@posthorn/testkit'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const answers = fc.constantFrom<kit.MailerScript>(
  () => undefined,
  kit.deferringMailerScript(),
  kit.refusingMailerScript(),
)

it('sends a campaign to every subscriber once, or reports who got none', () =>
  fc.assert(
    fc.asyncProperty(fc.array(answers), async (scripts) => {
      const { ports, clock, mailer } = kit.inMemoryPorts()
      const core = createCore(ports)
      const { scope, list, subscribe } = await kit.sampleProject(core)
      await subscribe(8)
      mailer.answer(kit.mailerScriptsInTurn(...scripts))
      const email = { name: 'Spring', subject: 'Spring', type: 'text', document: 'It is spring.' } as const
      const when = { timeZone: 'UTC', status: 'scheduled', scheduledTo: '2026-01-01T09:00:00Z' } as const
      const { _id } = await core.campaigns.create(scope, { ...email, ...when, subscriberListId: list._id })
      const report = () => core.campaignReports.get(scope, _id)
      do {
        await core.worker.runUntilIdle()
        clock.advance(60_000) // until deferred mails are due
      } while ((await report()).waiting > 0)
      const { sent, failed } = await report()
      expect(new Set(mailer.sent.map(({ to }) => to)).size).toBe(sent)
      expect([mailer.sent.length, sent + failed]).toEqual([sent, 8])
    }),
    { numRuns: 20 },
  ))
