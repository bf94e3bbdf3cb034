import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import PostalMime from 'postal-mime'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { htmlToPlainText, mjmlRenderer, sandboxProcesses } from '../src/index.js'

const processes = sandboxProcesses()
afterAll(() => processes.close())
const renderer = mjmlRenderer(processes, 'https://mail.example.com/icons')

const setUp = async () => {
  const rendered: unknown[] = []
  const { ports, mailer } = inMemoryPorts({
    plainText: htmlToPlainText(processes),
    visualRenderer: (document, projectId) => {
      rendered.push(document)
      return renderer(document, projectId)
    },
  })
  const core = createCore(ports)
  return { core, mailer, rendered, project: await sampleProject(core) }
}

let world: Awaited<ReturnType<typeof setUp>>
beforeEach(async () => {
  world = await setUp()
})

const document = {
  tagName: 'mjml',
  children: [
    {
      tagName: 'mj-body',
      attributes: { 'background-color': '{{design.colors.background}}' },
      children: [
        {
          tagName: 'mj-section',
          children: [
            {
              tagName: 'mj-column',
              children: [
                {
                  tagName: 'mj-text',
                  attributes: { color: '{{design.colors.primary}}', 'font-family': '{{design.fontStacks.body}}' },
                  content: '{{design.texts.greeting}} {{DEFAULT contact.name "reader"}}, {{code}}',
                },
                {
                  tagName: 'mj-button',
                  attributes: { href: '{{design.links.website}}', 'background-color': '{{design.colors.primary}}' },
                  content: 'Read',
                },
                { tagName: 'mj-text', content: '<a href="{{unsubscribeLink}}">{{design.texts.unsubscribe}}</a>' },
              ],
            },
          ],
        },
      ],
    },
  ],
}
const email = { name: 'N', subject: '{{design.texts.company}}: hello {{contact.name}}', document }

const setPrimary = (value: string) =>
  world.core.designSystems.update(world.project.scope, world.project.project.designSystemId, {
    setOverrides: [
      { category: 'variables', key: 'colors', name: 'primary', value },
      { category: 'variables', key: 'texts', name: 'company', value: 'Ada & Co' },
    ],
  })

const arrived = async () => {
  await world.core.worker.runUntilIdle()
  return Promise.all(
    [...world.mailer.sent]
      .sort((a, b) => a.to.localeCompare(b.to))
      .map(async ({ to, mime }) => ({ ...(await PostalMime.parse(mime)), recipient: to })),
  )
}

describe('a visual campaign', () => {
  const now = { timeZone: 'UTC', status: 'scheduled', scheduledTo: '2020-01-01' } as const

  it('arrives with the project’s design and each reader’s data, rendered once', async () => {
    const { core, project, rendered } = world
    await setPrimary('#AA0011')
    await project.subscribe(2)
    const { _id } = await core.campaigns.create(project.scope, { ...email, ...now, subscriberListId: project.list._id })
    const [first, second] = await arrived()
    expect([first?.recipient, second?.recipient]).toEqual(['reader1@example.com', 'reader2@example.com'])
    expect(first?.subject).toBe('Ada & Co: hello Reader 1')
    for (const part of [
      'color:#AA0011;',
      'background:#AA0011;',
      'bgcolor="#AA0011"',
      'Hello Reader 1, ',
      'href="http',
      '&#x27;Helvetica Neue&#x27;, Helvetica',
    ])
      expect(first?.html).toContain(part)
    expect(first?.html).not.toContain('{{')
    expect(second?.html).toContain('Hello Reader 2, ')
    expect(first?.text).toContain('Hello Reader 1,')
    expect(first?.text).toMatch(/Unsubscribe \(https:\/\/posthorn\.example\.com\/.+\)/)
    expect(rendered).toEqual([document])
    expect(await core.campaigns.get(project.scope, _id)).toMatchObject({ type: 'visual', status: 'sent', document })
  })

  it('that cannot be rendered is not scheduled, with the reason', async () => {
    const { core, project } = world
    const content = { ...email, ...now, subscriberListId: project.list._id, document: { blocks: [] } }
    await expect(core.campaigns.create(project.scope, content)).rejects.toMatchObject({
      kind: 'blocked',
      message: expect.stringContaining('expected MJML in JSON'),
    })
  })
})

describe('a visual transactional email', () => {
  const send = (_id: string, data = {}) =>
    world.core.sends.transactional(world.project.scope, { transactionalId: _id, email: 'ada@example.com', data })

  it('arrives with its data, which cannot change the project’s design', async () => {
    const { core, project } = world
    const { _id } = await core.transactionalEmails.create(project.scope, { ...email, type: 'visual' })
    await send(_id, { code: '<4711>', design: { colors: { primary: 'url(https://evil.example.com)' } } })
    const [mail] = await arrived()
    expect(mail?.html).toContain('Hello reader, &lt;4711&gt;')
    expect(mail?.html).toContain('color:#0b5d66;')
    expect(mail?.html).not.toContain('evil')
    expect(mail?.subject).toBe('Your company: hello')
  })

  it('keeps the design of its acceptance; the next one has the new design without rendering again', async () => {
    const { core, project, rendered, mailer } = world
    const { _id } = await core.transactionalEmails.create(project.scope, email)
    await send(_id, { code: 1 })
    await setPrimary('#AA0011')
    await send(_id, { code: 2 })
    await core.worker.runUntilIdle()
    const colors = await Promise.all(
      mailer.sent.map(async ({ mime }) => {
        const { html = '' } = await PostalMime.parse(mime)
        return [/Hello reader, (\d)/.exec(html)?.[1], /bgcolor="(#\w{6})"/.exec(html)?.[1]]
      }),
    )
    expect(Object.fromEntries(colors)).toEqual({ 1: '#0b5d66', 2: '#AA0011' })
    expect(rendered).toHaveLength(1)
  })
})
