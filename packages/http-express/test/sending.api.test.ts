import { sampleProject } from '@posthorn/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aWorld, type World } from './world.js'

let world: World
let [transactionalId, triggeredId] = ['', '']
beforeAll(async () => {
  world = await aWorld()
  const shared = { subject: 'Hello {{n}}', type: 'text', document: '{{contact.email}} {{n}}' }
  transactionalId = (await world.call('createTransactionalEmail', { body: { name: 'T', ...shared } })).result._id
  triggeredId = (
    await world.call('createTriggeredEmail', {
      body: { name: 'G', subscriberListId: world.project.list._id, ...shared },
    })
  ).result._id
  await world.project.subscribe(3)
})
afterAll(() => world.client.close())

const content = Buffer.from('bytes').toString('base64')

describe.each(['sendTransactional', 'sendTransactionalByEmail'] as const)('%s', (id) => {
  const send = (body: unknown, asked = {}) => world.call(id, { body, ...asked })

  it('responds when the mail is accepted, and renders its data', async () => {
    const before = world.mailer.sent.length
    const body = {
      email: 'Anybody@example.com',
      transactionalId,
      data: { n: 7 },
      attachments: [{ fileName: 'a b.txt', content }],
    }
    expect(await send(body)).toMatchObject({ status: 200, result: { success: true } })
    await world.core.worker.runUntilIdle()
    const { to, mime } = world.mailer.sent[before] ?? { to: '', mime: '' }
    expect([to, mime.includes('Anybody@example.com 7'), mime.includes('filename="a b.txt"')]).toEqual([
      'Anybody@example.com',
      true,
      true,
    ])
  })

  it('accepts an attachment of 20 MB', async () => {
    const large = 'QUJD'.repeat(7_000_000)
    const body = { email: 'big@example.com', transactionalId, attachments: [{ filename: 'a.zip', content: large }] }
    expect(await send(body)).toMatchObject({ status: 200 })
    await world.core.worker.runUntilIdle()
    expect(world.mailer.sent.at(-1)?.mime).toContain(`QUJD\r\n--`)
  })

  it.each([
    [{}, 'Missing required parameters: email and transactionalId.'],
    [{ email: 'a@example.com' }, 'Missing required parameters: email and transactionalId.'],
    [{ email: 'nobody', transactionalId: 'x' }, 'Invalid email format'],
    [{ email: 'a@example.com', transactionalId: 'x', data: 'text' }, 'data: expected an object'],
    [
      { email: 'a@example.com', transactionalId: 'x', data: { text: 'x'.repeat(1_000_001) } },
      'data: expected at most 1 MB of JSON',
    ],
    [{ email: 'a@example.com', transactionalId: 'x', cc: 'b@example.com' }, 'Unexpected field: cc'],
    [
      { email: 'a@example.com', transactionalId: 'x', attachments: [{ filename: 'no/name', content: 'QQ==' }] },
      'Invalid attachments format.',
    ],
    [
      {
        email: 'a@example.com',
        transactionalId: 'x',
        attachments: [{ filename: '../../etc/passwd.txt', content: 'QQ==' }],
      },
      'Invalid attachments format.',
    ],
    [
      { email: 'a@example.com', transactionalId: 'x', attachments: [{ filename: 'a.txt', content: 'not base64!' }] },
      'Invalid attachments format.',
    ],
    [
      { email: 'a@example.com', transactionalId: 'x', attachments: [{ filename: 'noext', content: 'aGk=' }] },
      'Invalid attachments format.',
    ],
    [{ email: 'a@example.com', transactionalId: 'x', attachments: 'a.txt' }, 'Invalid attachments format.'],
  ])('rejects %j', async (body, message) => {
    const { status, error } = await send(body)
    expect(status).toBe(400)
    expect(error?.message).toContain(message)
  })

  it('rejects an unknown email, a suppressed address, and another project’s email', async () => {
    const email = 'a@example.com'
    expect(await send({ email, transactionalId: 'nothing' })).toMatchObject({
      status: 404,
      error: { message: 'Transactional email not found' },
    })
    await world.call('createSuppression', { body: { email: `${id}@example.com`, reason: 'bounce' } })
    expect((await send({ email: `${id}@example.com`, transactionalId })).error?.message).toContain(
      'flagged due to bouncing',
    )
    const other = await sampleProject(world.core, { name: `Other ${id}` })
    const foreign = await send({ email, transactionalId }, { key: other.key, params: { projectId: other.project._id } })
    expect(foreign.status).toBe(id === 'sendTransactional' ? 404 : 403)
  })
})

describe.each(['sendTriggered', 'sendTriggeredByEmail'] as const)('%s', (id) => {
  const send = (body: unknown) => world.call(id, { body })
  const sentBy = async (body: unknown) => {
    const before = world.mailer.sent.length
    expect((await send(body)).result).toMatchObject({ success: true })
    await world.core.worker.runUntilIdle()
    return world.mailer.sent
      .slice(before)
      .map(({ to }) => to)
      .sort()
  }

  it('sends to every active subscriber, or to the active ones among given addresses', async () => {
    expect(await sentBy({ triggeredId })).toEqual(['reader1@example.com', 'reader2@example.com', 'reader3@example.com'])
    expect(
      await sentBy({ triggeredId, emails: ['READER2@example.com', 'reader2@example.com', 'stranger@example.com'] }),
    ).toEqual(['reader2@example.com'])
    expect(await sentBy({ triggeredId, emails: [] })).toEqual([])
  })

  it.each([
    [{}, 'Missing required parameters: triggeredId.'],
    [{ triggeredId: 'x', emails: ['nobody'] }, 'Invalid emails format'],
    [{ triggeredId: 'x', emails: 'a@example.com' }, 'Invalid emails format'],
    [
      { triggeredId: 'x', emails: Array.from({ length: 10_001 }, (_, n) => `reader${n}@example.com`) },
      'emails: expected at most 10000 addresses in one send',
    ],
  ])('rejects %j', async (body, message) => {
    expect(await send(body)).toMatchObject({ status: 400, error: { message } })
  })

  it('rejects an email without a document', async () => {
    const { result } = await world.call('createTriggeredEmail', {
      body: { name: 'Empty', subject: 's', type: 'html', subscriberListId: world.project.list._id },
    })
    expect(await send({ triggeredId: result._id })).toMatchObject({
      status: 405,
      error: { message: 'The email has no document yet.' },
    })
  })

  it('rejects an unknown email', async () => {
    expect(await send({ triggeredId: 'nothing' })).toMatchObject({
      status: 404,
      error: { message: 'Triggered email not found' },
    })
  })
})

describe('sending', () => {
  it('is refused without credit, over the sandbox limit, while restricted, and without a sender', async () => {
    const refusal = async (
      prepare: { credits?: number; production?: boolean; name: string },
      more: (other: Awaited<ReturnType<typeof sampleProject>>) => Promise<unknown> = async () => {},
    ) => {
      const other = await sampleProject(world.core, prepare)
      const asked = { key: other.key, params: { projectId: other.project._id } }
      const { result } = await world.client.call('createTransactionalEmail', {
        ...asked,
        body: { name: 'T', subject: 's', type: 'text', document: 'd' },
      })
      await more(other)
      const answer = await world.client.call('sendTransactional', {
        ...asked,
        body: { email: 'a@example.com', transactionalId: result._id },
      })
      return `${answer.status} ${answer.error?.message}`
    }
    expect(await refusal({ name: 'Poor', credits: 0 })).toBe('405 Insufficient credits available')
    expect(
      await refusal({ name: 'Bad' }, ({ project }) =>
        world.core.restriction.restrict(project._id, { reason: 'too many bounces' }),
      ),
    ).toBe('405 Sending is restricted: too many bounces')
    expect(
      await refusal({ name: 'Faceless' }, ({ scope, sender }) => world.core.senderIdentities.remove(scope, sender._id)),
    ).toContain('400 Project Email AWS configurations not found. The project has no sender identity')
  })

  it.each([
    [{ document: { blocks: [] } }, 'The visual document cannot be rendered: no mjml'],
    [{ document: { tagName: 'mjml', content: '{{#each x}}' } }, 'The visual document renders to an invalid template'],
    [{ type: 'html' }, 'The email has no document yet.'],
  ])('returns 405 with the reason if nothing can be sent: %j', async (content, reason) => {
    const { result } = await world.call('createTransactionalEmail', { body: { name: 'V', subject: 's', ...content } })
    const body = { email: 'a@example.com', transactionalId: result._id }
    const { status, error } = await world.call('sendTransactional', { body })
    expect([status, error?.name]).toEqual([405, 'METHOD_NOT_ALLOWED'])
    expect(error?.message).toContain(reason)
  })
})
