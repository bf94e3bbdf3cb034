import { createCore } from '@posthorn/core'
import { blocked, busy, type PlainTextConverter } from '@posthorn/core/ports/runtime'
import { deferringMailerScript, htmlWithoutTags, inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const start = async (changes: Parameters<typeof inMemoryPorts>[0] = {}) => {
  const world = inMemoryPorts(changes)
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  const { scope, list } = project
  const triggered = async (document: string) =>
    (
      await core.triggeredEmails.create(scope, {
        name: 'News',
        subject: 'News',
        type: 'html',
        document,
        subscriberListId: list._id,
      })
    )._id
  const transactional = async (document: string) =>
    (await core.transactionalEmails.create(scope, { name: 'Code', subject: 'Code', type: 'html', document }))._id
  return { ...world, core, project, triggered, transactional }
}

/** Converts as the given one does, and remembers what and whose it was. */
const counting = (convert: PlainTextConverter = htmlWithoutTags) => {
  const asked: { html: string; projectId: string }[] = []
  const plainText: PlainTextConverter = (html, projectId) => {
    asked.push({ html, projectId })
    return convert(html, projectId)
  }
  return { asked, plainText }
}

const attachment = (content: string) => ({ filename: 'a.txt', content: Buffer.from(content).toString('base64') })

describe('an HTML email’s plain text', () => {
  it('is converted once for all its mails, and for later sends of the same content', async () => {
    const { asked, plainText } = counting()
    const { core, project, mailer, triggered } = await start({ plainText })
    await project.subscribe(5)
    const triggeredId = await triggered('<p title="{{#if contact.name}}x{{/if}}">Dear {{contact.name}}</p>')
    await core.sends.triggered(project.scope, { triggeredId })
    await core.worker.runUntilIdle()
    await core.sends.triggered(project.scope, { triggeredId })
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(10)
    expect(mailer.sent[0]?.mime).toContain('\r\n\r\nDear Reader 1\r\n')
    expect(asked.map(({ projectId }) => projectId)).toEqual([project.scope.projectId])
  })

  it('is converted per mail if a condition is half inside a tag', async () => {
    const { asked, plainText } = counting()
    const { core, project, mailer, triggered } = await start({ plainText })
    await project.subscribe(3)
    await core.sends.triggered(project.scope, {
      triggeredId: await triggered('<p {{#if contact.name}}class="a">Dear{{else}}>Hello{{/if}} {{contact.name}}</p>'),
    })
    await core.worker.runUntilIdle()
    expect(mailer.sent[0]?.mime).toContain('\r\n\r\nDear Reader 1\r\n')
    expect(asked.map(({ html }) => html)).toEqual([1, 2, 3].map((n) => `<p class="a">Dear Reader ${n}</p>`))
  })

  it('fails its mail if it is converted per mail, and the send if it is converted for all', async () => {
    const late = counting(async () => Promise.reject(blocked('it takes longer than 5000 ms')))
    const { core, project, mailer, transactional } = await start({ plainText: late.plainText })
    const send = async (document: string) =>
      core.sends.transactional(project.scope, {
        email: 'ada@example.com',
        transactionalId: await transactional(document),
      })
    await send('<p {{#if a}}b>{{else}}c>{{/if}}</p>')
    await send('<p>{{a}}</p>')
    await core.worker.runUntilIdle()
    expect([mailer.sent.length, await project.credits()]).toEqual([0, 10_000])
  })
})

describe('a send refused by an overloaded renderer', () => {
  it('is retried a minute later, is no failure, and delays no other', async () => {
    let crowded = true
    const { plainText } = counting(async (html, projectId) => {
      if (crowded && html.includes('slow'))
        throw busy('Too much of this project is waiting. Please try again in a minute.')
      return htmlWithoutTags(html, projectId)
    })
    const { core, project, mailer, clock, transactional } = await start({ plainText })
    for (const document of ['<p>slow</p>', '<p {{#if a}}b>{{else}}>slow{{/if}}</p>', '<p>quick</p>'])
      await core.sends.transactional(project.scope, {
        email: 'ada@example.com',
        transactionalId: await transactional(document),
      })
    await core.worker.runUntilIdle()
    expect(mailer.sent.map(({ mime }) => mime.includes('quick'))).toEqual([true])
    crowded = false
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(1)
    clock.advance(61_000)
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(3)
  })
})

describe('a visual document’s template', () => {
  it('must compile before a send is accepted', async () => {
    const { core, project } = await start()
    const { _id: transactionalId } = await core.transactionalEmails.create(project.scope, {
      name: 'Code',
      subject: 'Code',
      document: { tagName: 'mjml', content: '{{shout x}}' },
    })
    await expect(
      core.sends.transactional(project.scope, { email: 'ada@example.com', transactionalId }),
    ).rejects.toThrow('The visual document renders to an invalid template: line 1, column 16: unknown helper shout')
  })
})

describe('attachments', () => {
  const reading = async (attachmentBytes: number) => {
    const { ports } = inMemoryPorts()
    const reads: string[] = []
    const files = {
      ...ports.files,
      get: (key: string) => {
        reads.push(key)
        return ports.files.get(key)
      },
    }
    return { reads, world: await start({ files, settings: { ...ports.settings, attachmentBytes } }) }
  }

  it('are read once for all mails of a send', async () => {
    const { reads, world } = await reading(1_000_000)
    const { core, project, mailer, triggered } = world
    await project.subscribe(5)
    const triggeredId = await triggered('<p>News</p>')
    await core.sends.triggered(project.scope, { triggeredId, attachments: [attachment('hello')] })
    await core.worker.runUntilIdle()
    expect(mailer.sent.filter(({ mime }) => mime.includes('aGVsbG8='))).toHaveLength(5)
    expect(reads).toHaveLength(1)
  })

  it('are evicted by size, and read again when the send continues', async () => {
    const { reads, world } = await reading(10_000)
    const { core, project, mailer, clock, transactional } = world
    const transactionalId = await transactional('<p>Code</p>')
    const send = (email: string) =>
      core.sends.transactional(project.scope, { email, transactionalId, attachments: [attachment('x'.repeat(9_000))] })
    mailer.answerTo({ 'first@example.com': deferringMailerScript() })
    await send('first@example.com')
    await core.worker.runUntilIdle()
    for (let n = 0; n < 5; n += 1) await send(`reader${n}@example.com`)
    await core.worker.runUntilIdle()
    mailer.answerTo({})
    clock.advance(3_600_000)
    await core.worker.runUntilIdle()
    expect(mailer.sent).toHaveLength(6)
    expect(reads).toHaveLength(7)
  })
})

describe('single mails of the same content', () => {
  const send = async (document: string) => {
    const world = await start()
    const { core, project, mailer } = world
    const { _id } = await core.transactionalEmails.create(project.scope, {
      name: 'Receipt',
      subject: 'Order {{n}}',
      type: 'html',
      document,
    })
    for (const n of [1, 2, 3])
      await core.sends.transactional(project.scope, {
        transactionalId: _id,
        email: `reader${n}@example.com`,
        data: { n, page: `https://example.com/orders/${n}` },
        tracking: { opens: true, clicks: true },
      })
    await core.worker.runUntilIdle()
    return mailer.sent.map(({ mime }) => mime.replaceAll('=\r\n', ''))
  }
  const boundaryIn = (mime: string | undefined) => /boundary="([^"]+)"/.exec(mime ?? '')?.[1]

  it('have their own data and boundary', async () => {
    const mails = await send('<p>Thank you for order {{n}}.</p><a href="https://example.com/shop">Shop</a>')
    expect(mails).toHaveLength(3)
    for (const n of [1, 2, 3]) {
      const mail = mails.find((mime) => mime.includes(`To: <reader${n}@example.com>`))
      expect(mail).toContain(`Subject: Order ${n}\r\n`)
      expect(mail).toContain(`Thank you for order ${n}.`)
    }
    expect(new Set(mails.map(boundaryIn)).size).toBe(3)
  })

  it('have links with their own data', async () => {
    const mails = await send('<p>Thank you.</p><a href="{{page}}">Order {{n}}</a>')
    for (const n of [1, 2, 3]) {
      const mail = mails.find((mime) => mime.includes(`To: <reader${n}@example.com>`))
      expect(mail).toContain(`Order ${n}</a>`)
      expect(mail).not.toContain(`Order ${(n % 3) + 1}</a>`)
    }
  })
})
