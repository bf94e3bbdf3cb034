import { aDelivery, aDispatch, aTime, numberedId } from '@posthorn/testkit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openMongoStore } from '../../src/index.js'
import { dropDatabase } from '../databases.js'
import { databaseUrl, onMongoDB } from '../on-mongodb.js'

const at = (seconds: number) => new Date(Date.parse(aTime) + seconds * 1000).toISOString()
const projectId = numberedId(0xb)

onMongoDB('mails to single addresses that are held back', () => {
  let url = ''
  beforeEach(() => {
    url = databaseUrl()
  })
  afterEach(() => dropDatabase(url))

  it('are those that were due until then, or under way, and a release makes them due', async () => {
    const { deliveries, heldMails, close } = await openMongoStore({ url, log: () => {} })
    const accept = async (n: number, notBefore: string, stage: 'single' | 'sending' = 'single') => {
      const dispatchId = numberedId(0xd0 + n)
      const delivery = aDelivery({
        dispatchId,
        projectId,
        contactId: numberedId(n),
        email: `p${n}@example.com`,
        notBefore,
      })
      await deliveries.accept({
        dispatch: aDispatch({ _id: dispatchId, projectId, stage }),
        deliveries: [delivery],
        takes: [],
      })
      return delivery._id
    }
    const underWay = await accept(1, at(0))
    const { lane } = (await deliveries.get(underWay)) ?? { lane: 'bulk' as const }
    const queue = { lane, projectId }
    const claim = (now: string) =>
      deliveries.claim({ queue, worker: 'worker-1', now, leaseUntil: at(9_000), limit: 10 })
    expect(await claim(at(0))).toHaveLength(1)
    await accept(2, at(5))
    const later = await accept(3, at(50))
    const many = await accept(4, at(5), 'sending')
    expect(await heldMails.hold(at(10), at(20))).toBe(2)
    expect(await heldMails.count()).toBe(2)
    expect((await claim(at(8_000))).map(({ _id }) => _id).sort()).toEqual([later, many].sort())
    expect(await heldMails.release(at(60))).toBe(2)
    expect(await heldMails.release(at(60))).toBe(0)
    expect(await claim(at(61))).toHaveLength(2)
    await close()
  })
})
