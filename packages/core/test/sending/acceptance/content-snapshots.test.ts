import { inMemoryPorts } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { cooperativeQueue } from '../../../src/kernel/cooperative-queue.js'
import type { EmailRecord } from '../../../src/mail/content.js'
import type { Project } from '../../../src/projects/project.js'
import { contentSnapshots } from '../../../src/sending/acceptance/content-snapshots.js'

const now = '2026-01-01T00:00:00.000Z'
const email: EmailRecord = {
  _id: 'e'.repeat(24),
  projectId: 'p',
  name: 'Receipt',
  subject: 'Receipt',
  type: 'html',
  document: '<p>Thank you.</p>',
  feeds: [],
  createdAt: now,
  updatedAt: now,
}
const project = { _id: 'p', designSystemId: 'd' } as Project
const ada = { email: 'ada@example.com', name: 'Ada', region: 'eu-west-1' }

/** Contents of a store that gives the same record each time it is read, and how often a digest was worked out. */
const start = () => {
  const { ports } = inMemoryPorts()
  let digests = 0
  const digest = (text: string) => {
    digests += 1
    return ports.secrets.digest(text)
  }
  const contents = contentSnapshots({
    repositories: ports.repositories,
    secrets: { digest },
    clock: ports.clock,
    emailTemplates: { assertCompiles: () => {} },
    large: cooperativeQueue(ports.sleep),
  })
  const stored = async (_id: string) => (await ports.repositories.contents.get({ _id }))?.from
  return { contents, stored, designSystems: ports.repositories.designSystems, digests: () => digests }
}

describe('a content snapshot', () => {
  it('is stored once for an email and its sender', async () => {
    const { contents, stored, digests } = start()
    const first = await contents.keep(project, email, ada)
    expect(await contents.keep(project, email, ada)).toBe(first)
    expect(digests()).toBe(1)
    expect(await stored(first)).toEqual(ada)
  })

  it('is new after the sender changes', async () => {
    const { contents, stored } = start()
    const first = await contents.keep(project, email, ada)
    const second = await contents.keep(project, email, { ...ada, name: 'Ada Lovelace' })
    expect(second).not.toBe(first)
    expect(await stored(second)).toMatchObject({ name: 'Ada Lovelace' })
    expect(await contents.keep(project, email, { ...ada })).toBe(first)
  })

  it('is new after the design that it uses changes', async () => {
    const { contents, designSystems } = start()
    const designed = { ...email, document: '<p>{{design.texts.greeting}}</p>' }
    const first = await contents.keep(project, designed, ada)
    const greeting = { category: 'variables', key: 'texts', name: 'greeting', value: 'Good day' } as const
    await designSystems.add({ _id: 'd', projectId: 'p', overrides: [greeting], createdAt: now, updatedAt: now })
    expect(await contents.keep(project, designed, ada)).not.toBe(first)
  })
})
