import { createCore } from '@posthorn/core'
import { fixedClock, inMemoryFiles } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { aTrackedCampaign } from '../tracking/tracked-mails.js'

const day = 24 * 60 * 60_000
const document = '<body><a href="https://shop.example.com/">a</a></body>'

const linked = async () => {
  const clock = fixedClock()
  const files = inMemoryFiles(clock.now)
  const world = await aTrackedCampaign(1, document, { clock, files })
  const tables = () => files.keys().filter((key) => key.startsWith('links/'))
  const maintained = async (days: number, core = world.core) => {
    clock.advance(days * day)
    await core.worker.maintain()
    return tables().length
  }
  return { ...world, files, maintained }
}

describe('a link table', () => {
  it('is kept for two years after its last mail', async () => {
    const { maintained, pathsOf, ports } = await linked()
    const [path] = (await pathsOf(0)).links
    expect(await maintained(729)).toBe(1)
    expect(path && (await createCore(ports).tracking.findLink(path))?.target).toBe('https://shop.example.com/')
    expect(await maintained(2)).toBe(0)
    expect(path && (await createCore(ports).tracking.findLink(path))).toBeUndefined()
  })

  it('is kept longer with each new mail of any dispatch', async () => {
    const { core, project, campaignId, clock, maintained } = await linked()
    expect(await maintained(700)).toBe(1)
    await core.campaigns.update(project.scope, campaignId, {
      status: 'scheduled',
      scheduledTo: clock.now().toISOString(),
    })
    await core.worker.runUntilIdle()
    expect(await maintained(700)).toBe(1)
    expect(await maintained(32)).toBe(0)
  })

  it('is kept as long as configured', async () => {
    const { ports, maintained } = await linked()
    const { settings } = ports
    const core = createCore({ ...ports, settings: { ...settings, retention: { ...settings.retention, links: 7 } } })
    expect(await maintained(6, core)).toBe(1)
    expect(await maintained(2, core)).toBe(0)
  })
})
