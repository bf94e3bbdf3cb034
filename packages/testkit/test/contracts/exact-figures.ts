import { type Core, createCore, Refusal } from '@posthorn/core'
import { type FigureMetric, figureMetricNames, figureSubject } from '@posthorn/core/ports/storage'
import { inMemoryPorts, Killed, portsKilledAtWrite, sampleProject } from '@posthorn/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ContractOptions, type ContractStore, type MakeStore, onFreshStore } from './under-test/store.js'

const readers = [1, 2, 3]
const minute = 60_000

/** A campaign sent to three readers on that store, with a webhook for all events. */
const aCampaign = async (store: ContractStore) => {
  const { repositories, counters, deliveries, audience, contactSearch, membershipStore, figures, webhookOutbox } = store
  const kept = { repositories, counters, deliveries, audience, contactSearch, membershipStore, figures, webhookOutbox }
  const world = inMemoryPorts(kept)
  const core = createCore(world.ports)
  const project = await sampleProject(core)
  const { scope, list } = project
  await core.projects.update(scope, { autoRemoveFromList: { bounce: 'off', complaint: 'off' } })
  await core.webhooks.set(scope, {
    ...{ url: 'https://shop.example.com/', secretKey: project.key },
    ...{ open: true, click: true, bounce: true, complaint: true, failed: true, subscription: true },
  })
  await project.subscribe(readers.length)
  const { _id: emailId } = await core.campaigns.create(scope, {
    name: 'January',
    subject: 'Hello',
    type: 'text',
    document: 'leave: {{unsubscribeLink}}',
    timeZone: 'UTC',
    subscriberListId: list._id,
    status: 'scheduled',
    scheduledTo: '2025-11-30T11:00:00Z',
  })
  await core.worker.runUntilIdle()
  const where = { emailId, projectId: scope.projectId }
  const page = await deliveries.list({ where, by: 'email', order: 'asc', skip: 0, limit: 10 })
  const mails = page.items.map(({ _id, email }) => {
    const mime = world.mailer.sent
      .find(({ to }) => to === email)
      ?.mime.replaceAll('=\r\n', '')
      .replaceAll('=3D', '=')
    return { _id, email, token: /unsubscribe\?token=([\w.-]+)/.exec(mime ?? '')?.[1] ?? '' }
  })
  const sums = async (subject: string) => {
    const found = await figures.totals(subject, {})
    return Object.fromEntries(figureMetricNames.flatMap((metric) => (found[metric] ? [[metric, found[metric]]] : [])))
  }
  return {
    ...{ world, core, project, scope, list, mails, kept },
    ofEmail: () => sums(figureSubject.email(emailId)),
    ofProject: () => sums(figureSubject.project(scope.projectId)),
    ofList: () => sums(figureSubject.list(list._id)),
    /** The number of events in the webhook's outbox, by type. */
    told: async () => {
      const types: Record<string, number> = {}
      for await (const { type } of repositories.webhookDeliveries.each({})) types[type] = (types[type] ?? 0) + 1
      return types
    },
    statusOf: async (email: string) => {
      const contact = await repositories.contacts.get({ projectId: scope.projectId, email })
      return (await repositories.subscribers.get({ subscriberListId: list._id, contactId: contact?._id ?? '' }))?.status
    },
  }
}
type Campaign = Awaited<ReturnType<typeof aCampaign>>
type Mail = Campaign['mails'][number]

const reportTypes = ['open', 'click', 'bounce', 'complaint'] as const
const wishes = ['active', 'paused', 'unsubscribed', 'link'] as const

const report = fc.record({
  kind: fc.constant('report' as const),
  type: fc.constantFrom(...reportTypes),
  mail: fc.nat(readers.length - 1),
  name: fc.constantFrom('a', 'b', 'c'),
  minutesAgo: fc.nat(50),
})
const rejection = fc.record({ kind: fc.constant('rejection' as const), mail: fc.nat(readers.length - 1) })
const wish = fc.record({
  kind: fc.constant('wish' as const),
  wish: fc.constantFrom(...wishes),
  mail: fc.nat(readers.length - 1),
  again: fc.boolean(),
})
const kill = fc.option(fc.record({ n: fc.integer({ min: 1, max: 9 }), when: fc.constantFrom('before', 'after') }), {
  nil: undefined,
})
const happening = fc.record({
  what: fc.oneof({ weight: 4, arbitrary: report }, { weight: 1, arbitrary: rejection }, { weight: 3, arbitrary: wish }),
  kill,
})
type What = (typeof happening extends fc.Arbitrary<infer T> ? T : never)['what']

const carryOut = async (core: Core, { scope, list, world }: Campaign, what: What, mail: Mail): Promise<void> => {
  if (what.kind === 'rejection')
    return core.deliveryEvents.rejected({ deliveryId: mail._id, error: { name: 'Reject', message: 'Bad content' } })
  if (what.kind === 'report') {
    const { type, name, minutesAgo } = what
    const at = new Date(world.clock.now().getTime() - minutesAgo * minute).toISOString()
    return core.deliveryEvents.record({ deliveryId: mail._id, type, name, at })
  }
  if (what.wish === 'link') await core.subscribers.unsubscribe(list._id, mail.token)
  else {
    const pausedUntil = new Date(world.clock.now().getTime() + 10_000 * minute).toISOString()
    const changes = { status: what.wish, ...(what.wish === 'paused' && { pausedUntil }) }
    await core.subscribers.update(scope, list._id, mail.email, changes)
  }
}

/** Ignores the refusal to subscribe a suppressed address again. */
const unlessRefused = (error: unknown): void => {
  if (!(error instanceof Refusal && error.kind === 'blocked')) throw error
}

const changeTypes: Readonly<Record<string, FigureMetric>> = {
  'active paused': 'pause-subscription',
  'active unsubscribed': 'unsubscribe',
  'paused active': 'unpause-subscription',
  'paused unsubscribed': 'unsubscribe',
  'unsubscribed active': 'resubscribe',
  'unsubscribed paused': 'resubscribe',
}

const withoutZeros = (sums: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(sums).filter(([, n]) => n > 0))

/** The figures that must follow from the events so far. */
const aModel = () => {
  const heard = new Set<string>()
  const changes: Record<string, number> = { subscribe: readers.length }
  const byLink: Record<string, number> = {}
  const of = (type: string) => [...heard].filter((one) => one.startsWith(`${type} `))
  const mailsWith = (type: string) => new Set(of(type).map((one) => one.split(' ')[1])).size
  const add = (sums: Record<string, number>, metric: string) => {
    sums[metric] = (sums[metric] ?? 0) + 1
  }
  const mails = () => ({
    sent: readers.length - mailsWith('rejection'),
    failed: mailsWith('rejection'),
    opens: of('open').length,
    uniqueOpens: mailsWith('open'),
    clicks: of('click').length,
    uniqueClicks: mailsWith('click'),
    bounces: mailsWith('bounce'),
    complaints: mailsWith('complaint'),
  })
  const told = () => {
    const { opens, clicks, bounces, complaints, failed } = mails()
    const { 'unpause-subscription': _, ...others } = changes
    return withoutZeros({ open: opens, click: clicks, bounce: bounces, complaint: complaints, failed, ...others })
  }
  return {
    hear: (what: What, { _id }: Mail) => {
      if (what.kind === 'rejection') heard.add(`rejection ${_id}`)
      if (what.kind === 'report') heard.add(`${what.type} ${_id} ${what.name}`)
    },
    change: (before: string | undefined, after: string | undefined, isByLink: boolean) => {
      const metric = changeTypes[`${before} ${after}`]
      if (!metric) return
      add(changes, metric)
      if (isByLink) add(byLink, metric)
    },
    all: () => ({
      project: withoutZeros(mails()),
      email: withoutZeros({ ...mails(), ...byLink }),
      list: withoutZeros({ ...mails(), ...changes }),
      told: told(),
    }),
  }
}

/** Figures and webhook events match what happened, despite crashes and repeated reports. */
export const exactFiguresContract = (name: string, make: MakeStore, { runs = 50 }: ContractOptions = {}) => {
  describe(`${name}: figures and events`, () => {
    const countedAndTold = async ({ ofProject, ofEmail, ofList, told }: Campaign) => ({
      project: await ofProject(),
      email: await ofEmail(),
      list: await ofList(),
      told: await told(),
    })

    it('are exact in any order, with repetitions, and if the process is killed at any write', async () => {
      const property = fc.asyncProperty(fc.array(happening, { minLength: 1, maxLength: 8 }), (happenings) =>
        onFreshStore(make, async (store) => {
          const campaign = await aCampaign(store)
          const { core, world, mails, kept, statusOf } = campaign
          const model = aModel()
          const mailOf = ({ mail }: What) => mails[mail] as Mail
          for (const { what, kill: killing } of happenings) {
            const mail = mailOf(what)
            const before = await statusOf(mail.email)
            const dying =
              killing &&
              createCore({ ...world.ports, ...portsKilledAtWrite(kept, killing.n, killing.when as 'before') })
            await carryOut(dying ?? core, campaign, what, mail).catch((error: unknown) => {
              if (!(error instanceof Killed)) unlessRefused(error)
            })
            const between = await statusOf(mail.email)
            world.clock.advance(2 * minute)
            await core.worker.maintain()
            // Reporters of bounces and complaints repeat a report until it is accepted; a person may or may not repeat a wish.
            if (what.kind !== 'wish' || (dying && what.again))
              await carryOut(core, campaign, what, mail).catch(unlessRefused)
            model.hear(what, mail)
            const isByLink = what.kind === 'wish' && what.wish === 'link'
            model.change(before, between, isByLink)
            model.change(between, await statusOf(mail.email), isByLink)
          }
          expect(await countedAndTold(campaign)).toEqual(model.all())
          for (const { what } of happenings.toReversed())
            if (what.kind !== 'wish') await carryOut(core, campaign, what, mailOf(what))
          await core.worker.maintain()
          expect(await countedAndTold(campaign)).toEqual(model.all())
        }),
      )
      await fc.assert(property, { numRuns: Math.max(3, Math.floor(runs / 3)) })
    })

    /** `value` is in days. */
    const engaged = (operator: 'opened' | 'clicked' | 'received' | 'not-opened' | 'not-clicked', value: number) =>
      [{ conditions: [{ category: 'engagement', operator, value }] }] as const

    it('move a contact’s open and click dates forward only, as segments read them', async () => {
      await onFreshStore(make, async (store) => {
        const campaign = await aCampaign(store)
        const { core, scope, mails, world } = campaign
        const [one, two, three] = mails as [Mail, Mail, Mail]
        const start = world.clock.now().getTime()
        const at = (minutes: number) => new Date(start + minutes * minute).toISOString()
        world.clock.advance(600 * minute)
        const told = (mail: Mail, type: 'open' | 'click', minutes: number) =>
          core.deliveryEvents.record({ deliveryId: mail._id, type, at: at(minutes) })
        await told(one, 'open', 50)
        await told(one, 'open', 10)
        await Promise.all([30, 70, 20, 60].map((minutes) => told(two, 'open', minutes)))
        await told(two, 'click', 15)
        await told(three, 'click', 99_999)
        const dates = async (mail: Mail) => {
          const contact = await store.repositories.contacts.get({ projectId: scope.projectId, email: mail.email })
          return [contact?.lastReceiveDate, contact?.lastOpenDate, contact?.lastClickDate]
        }
        expect(await dates(one)).toEqual([at(0), at(50), undefined])
        expect(await dates(two)).toEqual([at(0), at(70), at(15)])
        expect(await dates(three)).toEqual([at(0), undefined, at(600)])

        const question = { projectId: scope.projectId, subscriberListId: campaign.list._id }
        world.clock.advance((2 * 24 * 60 + 1) * minute)
        await told(one, 'open', 12 * 60)
        const now = world.clock.now().toISOString()
        const found = async (segment: ReturnType<typeof engaged>) =>
          (await store.audience.page({ ...question, segment, now }, undefined, 10)).map(({ email }) => email).sort()
        expect(await found(engaged('opened', 1))).toEqual([])
        expect(await found(engaged('opened', 2))).toEqual([one.email])
        expect(await found(engaged('opened', 3))).toEqual([one.email, two.email])
        expect(await found(engaged('not-opened', 2))).toEqual([two.email, three.email])
        expect(await found(engaged('clicked', 2))).toEqual([])
        expect(await found(engaged('clicked', 3))).toEqual([two.email, three.email])
        expect(await found(engaged('received', 3))).toHaveLength(3)
        const unengaged = engaged('not-opened', 2)
        expect(await store.audience.count({ ...question, unengaged, now })).toEqual({ total: 3, reachable: 1 })
      })
    })
  })
}
