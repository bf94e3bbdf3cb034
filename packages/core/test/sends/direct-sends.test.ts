import { createCore, type DirectSend } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import PostalMime, { decodeWords } from 'postal-mime'
import { describe, expect, it } from 'vitest'

const aProject = async () => {
  const { ports, clock, mailer } = inMemoryPorts()
  const core = createCore(ports)
  const { scope, account } = await sampleProject(core)
  const send = (input: DirectSend) => core.sends.direct(scope, input)
  const mails = async () => {
    await core.worker.runUntilIdle()
    return Promise.all(mailer.sent.map(async ({ to, mime }) => ({ recipient: to, ...(await PostalMime.parse(mime)) })))
  }
  return { core, ports, clock, mailer, scope, account, send, mails }
}

describe('a send without a stored email', () => {
  it('sends the given HTML and text, rendered with data and the contact', async () => {
    const { core, scope, send, mails } = await aProject()
    await core.contacts.create(scope, { email: 'ada@example.com', name: 'Ada' })
    const { deliveries } = await send({
      to: 'ada@example.com',
      subject: 'Order {{order.number}}',
      html: '<p>Dear {{contact.name}}, {{note}}</p>',
      text: 'Dear {{contact.name}}, {{note}}',
      data: { order: { number: 7 }, note: '<b>{{contact.email}}</b>' },
      replyTo: 'shop@example.com',
    })
    const [mail] = await mails()
    expect(deliveries).toMatchObject([{ email: 'ada@example.com', accepted: true }])
    expect(mail?.subject).toBe('Order 7')
    expect(mail?.html).toContain('<p>Dear Ada, &lt;b&gt;{{contact.email}}&lt;/b&gt;</p>')
    expect(mail?.text).toBe('Dear Ada, <b>{{contact.email}}</b>\n')
    expect(mail?.replyTo).toMatchObject([{ address: 'shop@example.com' }])
  })

  it('sends raw content unchanged and untracked', async () => {
    const { send, mails } = await aProject()
    const html = '<p>{{#each}} \\{{ {{{ "{{"</p><a href="https://example.com/{{a}}">{{</a>'
    await send({ to: 'a@example.com', subject: '{{subject', html, text: '{{/if}} \\{{text', raw: true })
    const [mail] = await mails()
    expect([mail?.subject, mail?.html, mail?.text]).toEqual(['{{subject', `${html}\n`, '{{/if}} \\{{text\n'])
  })

  it('tracks the links of raw content where that is asked for', async () => {
    const { send, mails } = await aProject()
    const html = '<p>{{x}} <a href="https://example.com/">shop</a></p>'
    await send({ to: 'a@example.com', subject: 'S', html, raw: true, tracking: { clicks: true } })
    const [mail] = await mails()
    expect(mail?.html).toMatch(/^<p>{{x}} <a href="http[^"]*\/c\/[\w-]+\/1">shop<\/a><\/p>/)
    expect(mail?.text).toContain('{{x}}')
  })

  it('sends one mail to each of several addresses, and names who gets none', async () => {
    const { core, scope, send, mails } = await aProject()
    await core.suppressions.create(scope, { email: 'gone@example.com', reason: 'bounce' })
    const to = ['a@example.com', 'Gone@example.com', 'b@example.com', 'A@example.com']
    const { deliveries } = await send({ to, subject: 'S', text: 'To {{contact.email}}' })
    expect(deliveries.map(({ email, accepted, reason }) => [email, accepted, reason])).toEqual([
      ['A@example.com', true, undefined],
      ['Gone@example.com', false, 'suppressed'],
      ['b@example.com', true, undefined],
    ])
    expect((await mails()).map(({ recipient, text }) => `${recipient}: ${text}`).sort()).toEqual([
      'A@example.com: To A@example.com\n',
      'b@example.com: To b@example.com\n',
    ])
  })

  it('sends headers and attachments with each mail', async () => {
    const { send, mails } = await aProject()
    const headers = { 'X-Order': '7 – paid', References: '<a@example.com> <b@example.com>' }
    const attachments = [{ filename: 'a.txt', content: btoa('bytes') }]
    await send({ to: ['a@example.com', 'b@example.com'], subject: 'S', text: 'T', headers, attachments })
    for (const mail of await mails()) {
      const headerOf = (key: string) => mail.headers.find((one) => one.key === key)?.value ?? ''
      expect([decodeWords(headerOf('x-order')), headerOf('references')]).toEqual([
        '7 – paid',
        '<a@example.com> <b@example.com>',
      ])
      expect(mail.attachments.map(({ filename }) => filename)).toEqual(['a.txt'])
    }
  })
})

describe('a scheduled send', () => {
  const scheduled = async () => {
    const project = await aProject()
    const sendAt = new Date(project.clock.now().getTime() + 3_600_000).toISOString()
    const to = ['a@example.com', 'b@example.com']
    const answer = await project.send({ to, subject: 'S', text: 'T', sendAt })
    return { ...project, answer, sendAt }
  }
  const creditUsed = async ({ core, account }: Awaited<ReturnType<typeof aProject>>) =>
    10_000 - (await core.accounts.get(account._id)).credits

  it('is sent at its time, not before', async () => {
    const { answer, sendAt, clock, mails } = await scheduled()
    expect(answer.sendAt).toBe(sendAt)
    expect(await mails()).toEqual([])
    clock.advance(3_600_000)
    expect((await mails()).map(({ recipient }) => recipient).sort()).toEqual(['a@example.com', 'b@example.com'])
  })

  it('fails with its credit returned if it could not be sent within six hours after its time', async () => {
    const one = await scheduled()
    one.clock.advance(7 * 3_600_000 + 1)
    expect(await one.mails()).toEqual([])
    const [delivery] = one.answer.deliveries
    expect(await one.ports.deliveries.get(delivery?.deliveryId ?? '')).toMatchObject({
      status: 'failed',
      error: { name: 'TooLate' },
    })
    expect(await creditUsed(one)).toBe(0)
  })

  it('is cancelled once, however often that is asked for, and its credit returned', async () => {
    const one = await scheduled()
    const { dispatchId } = one.answer
    expect(await creditUsed(one)).toBe(2)
    const cancelled = await one.core.sends.cancel(one.scope, dispatchId)
    expect(cancelled).toMatchObject({ cancelled: 2, deliveries: [{ cancelled: true }, { cancelled: true }] })
    expect(await one.core.sends.cancel(one.scope, dispatchId)).toEqual(cancelled)
    expect(await creditUsed(one)).toBe(0)
    one.clock.advance(3_600_000)
    expect(await one.mails()).toEqual([])
  })

  it('cannot be cancelled after it was sent', async () => {
    const one = await scheduled()
    one.clock.advance(3_600_000)
    expect(await one.mails()).toHaveLength(2)
    await expect(one.core.sends.cancel(one.scope, one.answer.dispatchId)).rejects.toThrow('The mail was already sent.')
    expect(await creditUsed(one)).toBe(2)
  })

  it('takes only times in the future, at most 30 days ahead', async () => {
    const { send, clock } = await aProject()
    for (const days of [-1, 0, 31])
      await expect(
        send({
          to: 'a@example.com',
          subject: 'S',
          text: 'T',
          sendAt: new Date(clock.now().getTime() + days * 86_400_000).toISOString(),
        }),
      ).rejects.toThrow('sendAt: expected a time in the future, at most 30 days ahead')
  })
})

describe('an invalid send', () => {
  it.each<[Partial<DirectSend>, string]>([
    [{}, 'html: expected html, text or template; subject: required without a template'],
    [
      { subject: 'S', html: '{{#if}}', text: '{{/if}}' },
      'html: line 1, column 8: the template has a syntax error here; text: line 1, column 1',
    ],
    [{ subject: 'S', text: 'T', from: 'x@example.com' }, 'from: the project has no sender identity with this address'],
    [{ template: 'none' }, 'Template not found'],
    [{ template: 'none', html: 'x' }, 'template: expected either a template or html and text'],
    [{ subject: 'S\r\nBcc: x@example.com', text: 'T' }, 'subject: must not contain line breaks'],
    [
      {
        subject: 'S',
        text: 'T',
        headers: { 'X-A': 'a\r\nBcc: x@example.com', 'X-B\r\nTo': 'b', Bcc: 'c@example.com' },
      },
      'headers.X-A: must not contain line breaks',
    ],
    [{ subject: 'S', text: 'T', headers: { 'DKIM-Signature': 'v=1' } }, 'cannot be set'],
    [{ subject: 'S', text: 'T', headers: { 'X-SES-CONFIGURATION-SET': 'x' } }, 'instruction to the mail provider'],
    [{ subject: 'S', text: 'T', headers: { References: 'no id' } }, 'expected message ids'],
    [{ subject: 'S', text: 'T', tags: Array.from({ length: 11 }, (_, n) => `t${n}`) }, 'tags'],
    [{ to: Array.from({ length: 51 }, (_, n) => `a${n}@example.com`), subject: 'S', text: 'T' }, 'to'],
  ])('is refused with the reason: %j', async (input, reason) => {
    const { send, mails } = await aProject()
    await expect(send({ to: 'a@example.com', ...input })).rejects.toThrow(reason)
    expect(await mails()).toEqual([])
  })
})

describe('tags', () => {
  it('are named by lists of deliveries, which they filter', async () => {
    const { core, scope, send, mails } = await aProject()
    await send({ to: 'a@example.com', subject: 'S', text: 'T', tags: ['receipt', 'receipt', 'shop 7'] })
    await send({ to: 'b@example.com', subject: 'S', text: 'T' })
    await mails()
    const query = { skip: 0, limit: 30, order: 'desc', filter: { tags: 'shop 7' } } as const
    const { items, count } = await core.statistics.directRecipients(scope, query)
    expect([count, items[0]?.email, items[0]?.tags]).toEqual([1, 'a@example.com', ['receipt', 'shop 7']])
  })
})
