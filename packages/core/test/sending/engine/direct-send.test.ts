import { createCore } from '@posthorn/core'
import { inMemoryPorts, sampleProject } from '@posthorn/testkit'
import { afterEach, describe, expect, it } from 'vitest'

type World = ReturnType<typeof inMemoryPorts>

const running: { stop: () => Promise<void> }[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()))
})

/** A core that counts claims, and a turn of the loop for those that come together. */
const world = async (changes: (world: World) => Partial<World['ports']> = () => ({}), isStarted = true) => {
  const made = inMemoryPorts()
  const { ports, clock } = made
  const changed = { ...ports, ...changes(made) }
  const claims: string[] = []
  const core = createCore({
    ...changed,
    sleep: (milliseconds, signal) =>
      milliseconds === 0
        ? new Promise((resolve) => {
            setImmediate(resolve)
          })
        : clock.sleep(milliseconds, signal),
    deliveries: {
      ...changed.deliveries,
      claim: async (asked) => {
        const claimed = await changed.deliveries.claim(asked)
        claims.push(...claimed.map(({ email }) => email))
        return claimed
      },
    },
  })
  const project = await sampleProject(core)
  const { _id: transactionalId } = await core.transactionalEmails.create(project.scope, {
    name: 'Receipt',
    subject: 'Order {{n}}',
    type: 'html',
    document: '<p>Thank you for order {{n}}, {{contact.name}}.{{#if customer}} Bill to {{customer.name}}{{/if}}</p>',
  })
  if (isStarted) {
    await core.worker.start()
    running.push(core.worker)
  }
  const send = (n: number, more = {}) =>
    core.sends.transactional(project.scope, { transactionalId, email: `reader${n}@example.com`, data: { n }, ...more })
  const many = (from: number, to: number) =>
    Promise.all(Array.from({ length: to - from + 1 }, (_, index) => send(from + index)))
  const rowOf = async (id: string | undefined) => made.ports.deliveries.get(id ?? '')
  return { ...made, core, project, transactionalId, claims, send, many, rowOf }
}

describe('a single mail accepted by a process with a worker', () => {
  it('is sent at once, without a claim', async () => {
    const { many, claims, mailer, clock, core, project, transactionalId } = await world()
    await many(1, 5)
    await clock.passUntil(() => mailer.sent.length === 5, 100)
    expect(claims).toEqual([])
    for (const n of [1, 2, 3, 4, 5]) {
      const mail = mailer.sent.find(({ to }) => to === `reader${n}@example.com`)
      expect(mail?.mime).toContain(`Subject: Order ${n}`)
      expect(mail?.mime).toContain(`Thank you for order ${n},`)
      expect(mail?.deliveryId).toContain(`reader${n}@example.com`)
    }
    await clock.pass(2_000)
    const figures = await core.statistics.ofEmail(project.scope, 'transactionalEmails', transactionalId, {
      timeZone: 'UTC',
    })
    expect(figures).toMatchObject({ sent: 5 })
  })

  it('uses its data as accepted, even if the caller changes it', async () => {
    const { send, mailer, clock } = await world()
    const order = { n: 1, customer: { name: 'Ada' } }
    await send(1, { data: order })
    order.n = 2
    order.customer.name = 'Bob'
    await clock.passUntil(() => mailer.sent.length === 1)
    expect(mailer.sent[0]?.mime).toContain('Thank you for order 1,')
    expect(mailer.sent[0]?.mime).toContain('Bill to Ada')
  })

  it('uses the contact’s fields', async () => {
    const { send, project, core, mailer, clock } = await world()
    await core.contacts.create(project.scope, { email: 'reader1@example.com', name: 'Ada' })
    await send(1)
    await clock.passUntil(() => mailer.sent.length === 1)
    expect(mailer.sent[0]?.mime).toContain('Ada')
  })

  it('has its own dispatch’s boundary, also among similar mails', async () => {
    const { many, mailer, clock } = await world()
    const answers = await many(1, 3)
    await clock.passUntil(() => mailer.sent.length === 3)
    for (const { dispatchId, deliveryId } of answers) {
      const mail = mailer.sent.find((one) => one.deliveryId === deliveryId)
      expect(mail?.mime).toContain(`boundary="=_alternative_${dispatchId}"`)
    }
  })

  it('is stored together with mails that follow soon', async () => {
    const settled: number[] = []
    const { send, mailer, clock, rowOf } = await world(({ ports: { deliveries } }) => ({
      deliveries: {
        ...deliveries,
        settle: (settlements) => {
          settled.push(settlements.length)
          return deliveries.settle(settlements)
        },
      },
    }))
    const first = await send(1)
    await clock.passUntil(() => mailer.sent.length === 1)
    for (const n of [2, 3, 4]) {
      await clock.pass(5)
      await send(n)
    }
    await clock.pass(10)
    expect([mailer.sent.length, settled]).toEqual([4, [4]])
    expect(await rowOf(first.deliveryId)).toMatchObject({ status: 'sent' })
  })

  it('is sent once per request id', async () => {
    const { core, project, transactionalId, mailer, clock } = await world()
    const scope = { ...project.scope, requestId: '0000000000000000000000ff' }
    const ask = () => core.sends.transactional(scope, { transactionalId, email: 'once@example.com' })
    await Promise.all([ask(), ask(), ask()])
    await ask()
    await clock.pass(60_000)
    expect(mailer.handed).toHaveLength(1)
    expect(await project.credits()).toBe(9_999)
  })

  it('is excluded if the address was suppressed since', async () => {
    const { send, mailer, clock, rowOf } = await world(({ ports }) => ({
      deliveries: {
        ...ports.deliveries,
        accept: async (acceptance) => {
          const answer = await ports.deliveries.accept(acceptance)
          const [row] = acceptance.deliveries
          if (row) await ports.repositories.suppressions.add(suppressionOf(row.projectId, row.email))
          return answer
        },
      },
    }))
    const { deliveryId } = await send(1)
    await clock.pass(5_000)
    expect(mailer.handed).toEqual([])
    expect(await rowOf(deliveryId)).toMatchObject({ status: 'excluded', reason: 'suppressed' })
  })

  it('fails if its project was restricted since', async () => {
    const { send, mailer, clock, rowOf } = await world(({ ports }) => ({
      deliveries: {
        ...ports.deliveries,
        accept: async (acceptance) => {
          const answer = await ports.deliveries.accept(acceptance)
          await ports.repositories.projects.change({ _id: acceptance.dispatch.projectId }, (one) => ({
            ...one,
            restricted: true,
          }))
          return answer
        },
      },
    }))
    const { deliveryId } = await send(1)
    await clock.pass(5_000)
    expect(mailer.handed).toEqual([])
    expect(await rowOf(deliveryId)).toMatchObject({ status: 'failed' })
  })
})

const suppressionOf = (projectId: string, email: string) => ({
  _id: `sup_${email}`,
  projectId,
  email,
  emailKey: email,
  reason: 'manual' as const,
  createdAt: '2026-01-06T12:00:00.000Z',
  updatedAt: '2026-01-06T12:00:00.000Z',
})

describe('a single mail is queued', () => {
  it('if no worker was started', async () => {
    const { send, rowOf, clock, mailer } = await world(() => ({}), false)
    const { deliveryId } = await send(1)
    await clock.pass(1_000)
    expect(await rowOf(deliveryId)).toMatchObject({ status: 'queued' })
    expect(mailer.handed).toEqual([])
  })

  it('while the worker is paused, and is sent afterwards', async () => {
    const { core, send, rowOf, clock, mailer, claims } = await world()
    core.worker.pause()
    const { deliveryId } = await send(1)
    await clock.pass(1_000)
    expect(await rowOf(deliveryId)).toMatchObject({ status: 'queued' })
    core.worker.resume()
    await clock.passUntil(() => mailer.sent.length === 1)
    expect(claims).toEqual(['reader1@example.com'])
  })

  it('with attachments or much data', async () => {
    const { send, claims, clock, mailer } = await world()
    await send(1, { attachments: [{ filename: 'a.txt', content: 'aGVsbG8=' }] })
    await send(2, { data: { n: 2, long: 'x'.repeat(20_000) } })
    await clock.passUntil(() => mailer.sent.length === 2)
    expect([...claims].sort()).toEqual(['reader1@example.com', 'reader2@example.com'])
  })

  it('if its account has three quarters of a thousand in flight; other accounts’ are not', async () => {
    const { core, many, clock, mailer, claims } = await world()
    let answer: () => void = () => undefined
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    mailer.answer(() => answered.then(() => undefined))
    await many(1, 750)
    await clock.pass(1_000)
    expect(claims).toEqual([])
    await many(751, 755)
    await clock.pass(1_000)
    expect(claims).toHaveLength(5)
    const other = await sampleProject(core, { name: 'Other' })
    const content = { name: 'Code', subject: 'Code', type: 'text', document: 'Hello' } as const
    const { _id: transactionalId } = await core.transactionalEmails.create(other.scope, content)
    await core.sends.transactional(other.scope, { transactionalId, email: 'other@example.com' })
    await clock.pass(1_000)
    expect(claims).toHaveLength(5)
    answer()
    await clock.passUntil(() => mailer.sent.length === 756)
  })

  it('if its project exceeds the rate', async () => {
    const { many, clock, mailer, claims } = await world(({ ports }) => ({
      settings: { ...ports.settings, mailRatePerSecond: 5 },
    }))
    await many(1, 10)
    await clock.pass(10)
    expect(mailer.sent.length).toBe(5)
    await many(11, 15)
    expect(claims).toEqual([])
    await clock.passUntil(() => mailer.sent.length === 15, 10_000)
    expect(claims).toHaveLength(10)
    expect(mailer.handed).toHaveLength(15)
  })
})

describe('a stopping worker', () => {
  it('sends or requeues what it accepted', async () => {
    let letGo: () => void = () => undefined
    const durable = new Promise<void>((resolve) => {
      letGo = resolve
    })
    const { core, send, mailer, rowOf, ports } = await world(({ ports: { deliveries } }) => ({
      deliveries: {
        ...deliveries,
        accept: async (acceptance) => {
          const answer = await deliveries.accept(acceptance)
          await durable
          return answer
        },
      },
    }))
    const sending = send(1)
    await expect.poll(async () => (await ports.deliveries.backlog())[0]?.sending).toBe(1)
    const stopping = core.worker.stop()
    letGo()
    const { deliveryId } = await sending
    await stopping
    expect(mailer.handed).toEqual([])
    expect(await rowOf(deliveryId)).toMatchObject({ status: 'queued', attempts: 0 })
  })
})
