import { createCore } from '@posthorn/core'
import type { MailMetrics } from '@posthorn/core/ports/runtime'
import type { MailOutcome } from '@posthorn/core/ports/transport'
import { inMemoryPorts, recordingMailer, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

/** What a meter heard, in words. */
const recordingMeter = () => {
  const heard: string[] = []
  const meter: MailMetrics = {
    outcome: (kind, to, error) => void heard.push([kind ?? 'unknown', to, ...(error ? [error.name] : [])].join(' ')),
    throttled: ({ account }) => void heard.push(`throttled ${account}`),
  }
  return { meter, heard }
}

const send = async (outcomes: readonly MailOutcome[]) => {
  const { meter, heard } = recordingMeter()
  const mailer = recordingMailer()
  let n = 0
  const scripted = {
    ...mailer,
    send: async () => outcomes[n++] ?? ({ kind: 'accepted', providerMessageId: 'x' } as const),
  }
  const world = inMemoryPorts({ mailer: scripted, meter })
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  return { ...world, core, project, heard }
}

const campaignOf = ({ core, project }: Awaited<ReturnType<typeof send>>) =>
  core.campaigns.create(project.scope, {
    name: 'January',
    subject: 'Hello',
    type: 'html',
    document: '<p>Hello <a href="{{unsubscribeLink}}">leave</a></p>',
    timeZone: 'UTC',
    subscriberListId: project.list._id,
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
  })

describe('the mail meter', () => {
  it('records how each attempt ends, with its error', async () => {
    const world = await send([
      { kind: 'refused', error: { name: 'SmtpRefused', message: '550 5.7.1 No' } },
      { kind: 'deferred', error: { name: 'SmtpDeferred', message: '451 Later' }, throttled: false },
    ])
    await world.project.subscribe(3)
    await campaignOf(world)
    await world.core.worker.runUntilIdle()
    expect(world.heard.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'campaign failed SmtpRefused',
      'campaign queued SmtpDeferred',
      'campaign sent',
    ])
  })

  it('records throttling beside the deferred mail', async () => {
    const world = await send([
      { kind: 'deferred', error: { name: 'SmtpThrottled', message: '450 Too fast' }, throttled: true },
    ])
    await world.project.subscribe(1)
    await campaignOf(world)
    await world.core.worker.runUntilIdle()
    expect(world.heard).toEqual(['throttled server', 'campaign queued SmtpThrottled'])
  })
})
