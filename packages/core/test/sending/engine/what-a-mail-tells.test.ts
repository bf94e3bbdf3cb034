import { createHash } from 'node:crypto'
import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { sampleImages } from '../../../../../tests/corpora/images.js'

const to = 'reader1@example.com'

/** The text with every layer of encoding that a mail may have taken off, each version beside the others. */
const layersOf = (text: string, depth = 3): readonly string[] => {
  if (depth === 0) return [text]
  const unquoted = text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/&#x([0-9A-F]+);/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  const unfolded = unquoted.replace(/\r\n[ \t]?/g, '')
  const encoded = [...unfolded.matchAll(/[A-Za-z0-9+/_-]{12,}={0,2}/g)].map(([part]) =>
    Buffer.from(part.replaceAll('-', '+').replaceAll('_', '/'), 'base64').toString('latin1'),
  )
  const percent = unfolded.replace(/%([0-9A-F]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return [text, unquoted, unfolded, percent, ...encoded.flatMap((one) => layersOf(one, depth - 1))]
}

/** An id in every spelling: as it is, as bytes, in base64 of either, at any offset. */
const spellingsOf = (id: string): readonly string[] =>
  [Buffer.from(id), Buffer.from(id, 'hex')].flatMap((bytes) => [
    bytes.toString('latin1'),
    ...[0, 1, 2].flatMap((offset) => {
      const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
      const inner = text
        .slice(offset === 0 ? 0 : 4)
        .replace(/=+$/, '')
        .slice(0, -2)
      return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
    }),
  ])

/** Ids as they are in use: no two look alike, so that one is not found in another. */
const spreadIds = () => {
  let n = 0
  return () => {
    n += 1
    return n.toString(16).padStart(8, '0') + createHash('sha256').update(String(n)).digest('hex').slice(0, 16)
  }
}

const start = async () => {
  const { ports, clock, mailer } = inMemoryPorts({ newId: spreadIds() })
  const core = createCore(ports)
  const world = await sampleProject(core)
  const { scope, account, list } = world
  await world.subscribe(1)
  const image = await core.galleryImages.upload(scope, {
    image: { filename: 'a.png', contentType: 'image/png', bytes: sampleImages['image/png'] },
  })
  await core.contacts.update(scope, to, { tags: ['vip'] })
  const document = `<p style="color: {{design.colors.primary}}">Hello {{contact.name}} {{contact.email}} {{DEFAULT data.x 'é'}}</p>
<img src="${image.url}"><a href="{{unsubscribeLink}}">leave</a> <a href="{{pauseSubscriptionLink}}">pause</a>`
  const content = {
    name: 'N',
    subject: 'Grüße {{contact.name}}',
    type: 'html',
    document,
    previewText: 'Hello',
  } as const
  const mails = async () => {
    await core.worker.runUntilIdle()
    return mailer.sent.map(({ mime }) => mime)
  }
  return { core, ports, clock, scope, account, list: list._id, content, mails, ids: [scope.projectId, account._id] }
}
const attachments = [{ filename: 'a.txt', content: Buffer.from('hi').toString('base64') }]

describe('a mail', () => {
  it('reveals neither project nor account in any header, link, token or part', async () => {
    const { core, scope, list, content, mails, ids } = await start()
    await core.campaigns.create(scope, {
      ...content,
      timeZone: 'UTC',
      subscriberListId: list,
      status: 'scheduled',
      scheduledTo: '2020-01-01T00:00:00Z',
    })
    const triggered = await core.triggeredEmails.create(scope, { ...content, subscriberListId: list })
    await core.sends.triggered(scope, { triggeredId: triggered._id, emails: [to], data: { x: 'ü' }, attachments })
    const confirm = { ...content, document: `${content.document}<a href="{{verifyLink}}">yes</a>` }
    const transactional = await core.transactionalEmails.create(scope, confirm)
    await core.sends.transactional(scope, { email: to, transactionalId: transactional._id, attachments })
    const doubleOptIn = { active: true, emailId: transactional._id }
    const strict = await core.subscriberLists.create(scope, { name: 'Strict', doubleOptIn })
    await core.subscribers.subscribe(scope, strict._id, { email: 'new@example.com' })
    await core.sends.test(scope, triggered._id, { type: 'triggered', email: to })

    const sent = await mails()
    expect(sent).toHaveLength(5)
    for (const mime of sent) {
      const layers = layersOf(mime).map((text) => text.toLowerCase())
      expect(layers.join('\n')).toContain('feedback-id')
      for (const id of ids)
        for (const spelling of spellingsOf(id))
          expect([spelling, layers.filter((text) => text.includes(spelling.toLowerCase()))]).toEqual([spelling, []])
    }
    const tokens = sent.flatMap((mime) => layersOf(mime).filter((text) => text.includes('"purpose"')))
    for (const purpose of ['unsubscribe', 'preferences', 'verify'])
      expect(tokens.some((text) => text.includes(`"purpose":"${purpose}"`))).toBe(true)
  })

  it('has stable Feedback-ID marks that differ by project and account', async () => {
    const { core, scope, content, mails } = await start()
    const feedbackOf = async () =>
      (await mails()).flatMap((mime) => /Feedback-ID: \w+_\w+:(.*):posthorn/.exec(mime)?.[1] ?? [])
    const send = async (by: typeof scope) => {
      const { _id } = await core.transactionalEmails.create(by, { ...content, document: 'Hello' })
      await core.sends.transactional(by, { email: to, transactionalId: _id })
    }
    await send(scope)
    await send(scope)
    await send((await sampleProject(core, { name: 'Other' })).scope)
    const marks = await feedbackOf()
    for (const mark of marks) expect(mark).toMatch(/^prj_[\w-]{16}:acc_[\w-]{16}$/)
    expect([marks.length, new Set(marks).size]).toEqual([3, 2])
  })
})

it('a project’s id cannot be derived from ids created with it', async () => {
  const core = createCore(inMemoryPorts().ports)
  const { account, list } = await sampleProject(core)
  const made = await Promise.all(
    Array.from({ length: 50 }, async () => (await core.projects.create({ accountId: account._id, name: 'P' }))._id),
  )
  expect(new Set(made).size).toBe(50)
  for (const id of made) {
    expect(id).toMatch(/^[0-9a-f]{24}$/)
    expect(id.slice(8, 18)).not.toBe(list._id.slice(8, 18))
  }
})
