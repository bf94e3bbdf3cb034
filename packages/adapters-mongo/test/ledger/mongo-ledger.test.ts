import type { Delivery } from '@posthorn/core/ports/storage'
import { aDelivery, aDispatch, aTime, numberedId, recordingLog } from '@posthorn/testkit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type MongoDatabase, openMongoDatabase } from '../../src/connection/mongo-database.js'
import { ledgerIndexes } from '../../src/ledger/ledger-collections.js'
import { prepareMongoSchema } from '../../src/schema/mongo-schema.js'
import { dropDatabase } from '../databases.js'
import { delayedAt, frozenAt, killedAt } from '../failing-database.js'
import { ledgerOn } from '../ledger-on.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'

const dispatchId = numberedId(0xd1)
const row = (n: number, given: Partial<Delivery> = {}) =>
  aDelivery({ dispatchId, contactId: numberedId(n), email: `contact${n}@example.com`, ...given })
const at = (seconds: number) => new Date(Date.parse(aTime) + seconds * 1000).toISOString()
const queue = { lane: 'bulk', projectId: row(1).projectId } as const
const claimAt = (seconds: number, given = {}) => ({
  queue,
  worker: 'w',
  now: at(seconds),
  leaseUntil: at(seconds + 60),
  limit: 10,
  ...given,
})
const settlement = (n: number) => ({
  _id: row(n)._id,
  worker: 'w',
  to: 'failed' as const,
  now: at(1),
  attempted: true,
  refund: 'credit',
  counted: [{ subject: 'email:a', metric: 'failed' as const }],
})

onMongoDB('the ledger on MongoDB', () => {
  const url = databaseUrl()
  const { log, lines } = recordingLog()
  let database: MongoDatabase
  beforeAll(async () => {
    database = await openMongoDatabase({ url, log: () => {} })
    await prepareMongoSchema(database, ledgerIndexes)
  })
  beforeEach(async () => {
    for (const one of await database.db.collections()) await one.deleteMany({})
  })
  afterAll(async () => {
    await database.close()
    await dropDatabase(url)
  })

  /** A process whose clock is so many seconds ahead, so that it takes the others for dead. */
  const other = (seconds = 60) => ledgerOn(database, { now: () => new Date(Date.now() + seconds * 1000), log })
  const accepted = (deliveries: readonly Delivery[], given = {}) => ({
    dispatch: aDispatch({ _id: dispatchId, stage: 'sending', ...given }),
    deliveries,
    takes: [{ key: 'credit', n: 5, limit: 5 }],
  })
  const state = async () => {
    const { deliveries, counters, figures } = other()
    const rows = await Promise.all([1, 2].map((n) => deliveries.get(row(n)._id)))
    return {
      statuses: rows.map((one) => one?.status),
      used: await counters.used('credit'),
      figures: await figures.totals('email:a', {}),
    }
  }

  describe('a settlement', () => {
    const claimed = async () => {
      const { deliveries } = other()
      await deliveries.accept(accepted([row(1), row(2)]))
      await deliveries.claim(claimAt(0, { limit: 1 }))
      await deliveries.claim(claimAt(30))
    }
    const settled = [settlement(1), settlement(2)]

    it('in progress when a lease expires changes nothing for the expired deliveries', async () => {
      await claimed()
      const frozen = frozenAt(database, 1, async () => {
        await other(0).deliveries.reclaim(at(61), at(300))
      })
      const { deliveries, steps } = ledgerOn(frozen)
      await deliveries.settle(settled)
      await steps.tidy()
      expect(await state()).toEqual({ statuses: ['uncertain', 'failed'], used: 4, figures: { failed: 1 } })
    })

    it('stored before its worker died is not lost to a reclaim', async () => {
      await claimed()
      const dead = ledgerOn(killedAt(database, 2, 'before').database)
      await dead.deliveries.settle(settled)
      await expect(dead.steps.tidy()).rejects.toThrow('Killed')
      const { deliveries } = other(0)
      expect((await deliveries.reclaim(at(61), at(61))).lost).toBe(0)
      expect(await deliveries.claim(claimAt(62))).toHaveLength(0)
      expect(await state()).toEqual({ statuses: ['failed', 'failed'], used: 3, figures: { failed: 2 } })
    })

    it('completed by a sweep does not touch deliveries claimed again', async () => {
      await claimed()
      const late = ledgerOn(frozenAt(database, 1, async () => void (await other(0).deliveries.reclaim(at(61), at(61)))))
      await late.deliveries.settle(settled)
      late.steps.end()
      const { deliveries, steps } = other()
      expect(await deliveries.claim(claimAt(62))).toHaveLength(1)
      await steps.sweep()
      expect(await state()).toEqual({ statuses: ['sending', 'failed'], used: 4, figures: { failed: 1 } })
    })

    it('is visible to its own process at once, and soon to others', async () => {
      await claimed()
      const mine = ledgerOn(database)
      await mine.deliveries.settle(settled)
      expect(await mine.deliveries.get(row(1)._id)).toMatchObject({ status: 'failed' })
      expect(await mine.figures.totals('email:a', {})).toEqual({ failed: 2 })
      await mine.deliveries.settle([])
      expect(await state()).toEqual({ statuses: ['failed', 'failed'], used: 3, figures: { failed: 2 } })
    })

    it('retried after a failure is stored once', async () => {
      for (let n = 1; n <= 8; n += 1) {
        for (const one of await database.db.collections()) await one.deleteMany({})
        await claimed()
        const killed = ledgerOn(killedAt(database, n, 'amid').database)
        await killed.deliveries
          .settle(settled)
          .then(() => killed.steps.tidy())
          .catch(() => undefined)
        killed.steps.end()
        const { deliveries, steps } = other()
        await deliveries.settle(settled)
        await steps.tidy()
        await other().steps.sweep()
        expect(await state(), `after write ${n}`).toEqual({
          statuses: ['failed', 'failed'],
          used: 3,
          figures: { failed: 2 },
        })
      }
    })
  })

  it('a late renewal does not shorten a lease', async () => {
    await other().deliveries.accept(accepted([row(1)]))
    await other().deliveries.claim(claimAt(0))
    const { database: delayed, arrive } = delayedAt(database, 1)
    const ids = [row(1)._id]
    expect(await ledgerOn(delayed).deliveries.renew(ids, 'w', at(100))).toEqual(ids)
    expect(await other().deliveries.renew(ids, 'w', at(200))).toEqual(ids)
    await arrive()
    expect((await other().deliveries.get(row(1)._id))?.leaseUntil).toBe(at(200))
  })

  describe('a fan-out page', () => {
    const page = {
      dispatchId,
      after: undefined,
      cursor: numberedId(2),
      stage: 'sending' as const,
      deliveries: [row(1), row(2)],
      creditsHeld: 0,
      refund: { key: 'credit', n: 3 },
      now: at(1),
    }
    const dies = async () => {
      await other().deliveries.accept(accepted([], { stage: 'expanding', creditsHeld: 5 }))
      await expect(ledgerOn(killedAt(database, 3, 'before').database).deliveries.expand(page)).rejects.toThrow('Killed')
    }

    it('whose cursor has moved keeps its dispatch open until its deliveries exist', async () => {
      await dies()
      const { deliveries, repositories, steps } = other()
      expect((await repositories.dispatches.get({ _id: dispatchId }))?.stage).toBe('sending')
      expect(await state()).toEqual({ statuses: [undefined, undefined], used: 5, figures: {} })
      expect(await deliveries.open(dispatchId)).toBe(true)
      await steps.sweep()
      expect(await deliveries.open(dispatchId)).toBe(true)
      expect(await state()).toEqual({ statuses: ['queued', 'queued'], used: 2, figures: {} })
      await deliveries.stop(dispatchId, 'credit', at(2))
      expect(await deliveries.open(dispatchId)).toBe(false)
    })

    it('is not lost if the dispatch changes before its deliveries exist', async () => {
      await dies()
      const { repositories, steps } = other()
      await repositories.dispatches.change({ _id: dispatchId }, (one) => ({ ...one, progressAt: at(9) }))
      await steps.sweep()
      expect((await state()).statuses).toEqual(['queued', 'queued'])
      expect(await repositories.dispatches.get({ _id: dispatchId })).toMatchObject({ progressAt: at(9) })
    })
  })

  describe('an acceptance', () => {
    it('waits for one of the same dispatch whose process died, and is then the only one', async () => {
      const died = ledgerOn(killedAt(database, 4, 'before').database).deliveries.accept(accepted([row(1)]))
      await expect(died).rejects.toThrow('Killed')
      expect(await other().deliveries.accept(accepted([row(1)]))).toEqual({ leased: [] })
      expect(await state()).toEqual({ statuses: ['queued', undefined], used: 5, figures: {} })
    })
  })

  describe('a provider report concurrent with a bounce', () => {
    const counted = [{ subject: 'email:a', metric: 'sent' as const }]
    const returned = { name: '5.1.1', message: 'gone' }
    const bounces = async () => {
      const told = { _id: row(1)._id, mark: 'bounced', name: 'bounce', returned, now: at(90) } as const
      await other(0).deliveries.mark({ ...told, counted: () => [] })
    }

    it.each([1, 2])('that the mail was sent is not lost if the bounce precedes its write %i', async (n) => {
      const { deliveries } = other()
      await deliveries.accept(accepted([row(1)]))
      await deliveries.claim(claimAt(0))
      await deliveries.reclaim(at(61), at(300))
      const frozen = ledgerOn(frozenAt(database, n, bounces))
      expect(await frozen.deliveries.report(row(1)._id, 'm1', at(91), counted)).toBe(true)
      await frozen.steps.tidy()
      expect(await deliveries.get(row(1)._id)).toMatchObject({ status: 'sent', bounced: 1, providerMessageId: 'm1' })
      expect((await state()).figures).toEqual({ sent: 1 })
    })

    it.each([1, 2])('that the mail was not sent is not lost if the bounce precedes its write %i', async (n) => {
      const { deliveries } = other()
      await deliveries.accept(accepted([row(1, { status: 'sent', sentAt: at(1) })]))
      const error = { name: 'Rejected', message: 'Bad content' }
      const figure = { subject: 'email:a', slot: aTime.slice(0, 16), metric: 'failed' as const, n: 1 }
      const frozen = ledgerOn(frozenAt(database, n, bounces))
      expect(await frozen.deliveries.reject(row(1)._id, error, at(91), [figure])).toBe(true)
      await frozen.steps.tidy()
      expect(await deliveries.get(row(1)._id)).toMatchObject({ status: 'failed', bounced: 1, error })
      expect((await state()).figures).toEqual({ failed: 1 })
    })
  })

  it('does not return credit that others took since', async () => {
    const { counters, steps } = other()
    const dying = ledgerOn(killedAt(database, 7, 'before').database)
    await dying.counters.give({ key: 'credit', n: 3 })
    await expect(dying.steps.tidy()).rejects.toThrow('Killed')
    await counters.take([{ key: 'credit', n: 2 }])
    await steps.sweep()
    expect(await counters.used('credit')).toBe(2)
  })

  it('logs a step that cannot be completed, without blocking others', async () => {
    const dies = (slot: string) =>
      ledgerOn(killedAt(database, 2, 'before').database).figures.add([
        { subject: 'email:a', metric: 'failed', slot, n: 1 },
        { subject: 'email:a', metric: 'sent', slot, n: 1 },
      ])
    await expect(dies('2026-01-06T12:00')).rejects.toThrow('Killed')
    await expect(dies('2026-01-06T12:15')).rejects.toThrow('Killed')
    const steps = database.collection('steps')
    await steps.findOneAndUpdate({}, { $set: { 'plan.moves': 'none' } }, { sort: { sweepAt: 1 } })
    await other().steps.sweep()
    expect((await state()).figures).toEqual({ failed: 1, sent: 1 })
    expect(lines).toMatchObject([{ level: 'error', fields: { error: expect.any(TypeError) } }])
    await steps.updateMany({}, { $unset: { 'plan.moves': true } })
    await other(120).steps.sweep()
    expect((await state()).figures).toEqual({ failed: 2, sent: 2 })
  })
})
