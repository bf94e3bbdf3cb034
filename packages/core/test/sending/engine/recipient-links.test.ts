import { createCore } from '@posthorn/core'
import { aContact, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { recipientLinks } from '../../../src/sending/engine/recipient-links.js'

const start = async (customSubscriptionPreferencesUrl?: string) => {
  const { ports } = inMemoryPorts()
  const core = createCore(ports)
  const { project, scope, list } = await sampleProject(core)
  if (customSubscriptionPreferencesUrl) await core.projects.update(scope, { customSubscriptionPreferencesUrl })
  const stored = await ports.repositories.projects.get({ _id: project._id })
  if (!stored) throw new Error('The project is gone')
  const contact = aContact({ projectId: project._id, email: 'Ada+x@example.com' })
  const links = recipientLinks(ports)(stored, { _id: 'd', subscriberListId: list._id })(contact)
  return new URL(links.unsubscribeLink)
}

describe('the preferences link', () => {
  it('contains the address for a project’s own page', async () => {
    const link = await start('https://shop.example.com/preferences?lang=de')
    expect(link.origin + link.pathname).toBe('https://shop.example.com/preferences')
    expect([...link.searchParams.keys()]).toEqual(['lang', 'token', 'email'])
    expect(link.searchParams.get('email')).toBe('Ada+x@example.com')
    expect(link.href).toContain('email=Ada%2Bx%40example.com')
  })

  it('contains only the token for Posthorn’s own page', async () => {
    expect([...(await start()).searchParams.keys()]).toEqual(['token'])
  })
})
