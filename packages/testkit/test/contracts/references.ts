import {
  type Campaign,
  type ReferenceGuard,
  type Repository,
  referenceGuard,
  type Segment,
  type SenderIdentity,
  type SubscriberList,
  type TransactionalEmail,
  type Where,
} from '@posthorn/core/ports/storage'
import {
  aCampaign,
  aSegment,
  aSenderIdentity,
  aSubscriberList,
  aTransactionalEmail,
  numberedId,
  portsKilledAtWrite,
} from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { type ContractStore, freshStore, type MakeStore } from './under-test/store.js'

const start = Date.parse('2026-01-06T12:00:00.000Z')

/** A record and another that refers to it. */
type Pair = {
  readonly name: string
  readonly add: (store: ContractStore, n: number) => Promise<void>
  readonly use: (held: ReferenceGuard, store: ContractStore, n: number) => Promise<unknown>
  readonly remove: (held: ReferenceGuard, store: ContractStore, n: number) => Promise<unknown>
  readonly state: (store: ContractStore, n: number) => Promise<{ readonly isThere: boolean; readonly isUsed: boolean }>
}

type Marked = { readonly _id: string; readonly projectId: string; readonly 'pendingRemoval.id': string }

/** `remove` defaults to the repository's. */
const pairOf = <T extends Segment | SubscriberList | SenderIdentity | TransactionalEmail>(
  name: string,
  {
    target,
    made,
    refer,
    isUsed,
    remove = (store, where) => target(store).remove(where as Where<T>),
  }: {
    readonly target: (store: ContractStore) => Repository<T>
    readonly made: (n: number) => T
    readonly refer: (store: ContractStore, _id: string, n: number) => Promise<unknown>
    readonly isUsed: (store: ContractStore, _id: string) => Promise<boolean>
    readonly remove?: (store: ContractStore, where: Marked) => Promise<unknown>
  },
): Pair => {
  const targetOf = (store: ContractStore, n: number) => {
    const { _id, projectId } = made(n)
    return { repository: target(store), _id, projectId }
  }
  return {
    name,
    add: (store, n) => target(store).add(made(n)),
    use: (held, store, n) => held.use([targetOf(store, n)], () => refer(store, made(n)._id, n)),
    remove: (held, store, n) =>
      held.unused(
        targetOf(store, n),
        async () => {
          if (await isUsed(store, made(n)._id)) throw new Error('It is in use.')
        },
        (where) => remove(store, where),
      ),
    state: async (store, n) => ({
      isThere: (await target(store).get({ _id: made(n)._id } as Where<T>)) !== undefined,
      isUsed: await isUsed(store, made(n)._id),
    }),
  }
}

/** A segment is removed while a campaign that refers to it is written: never do both succeed, even if a process crashes. */
export const referencesContract = (name: string, make: MakeStore) => {
  describe(`${name}: references`, () => {
    const store = freshStore(make)

    /** A process: its view of the store and its actions. All processes share `time`. */
    const processOn = (
      { repositories: { segments, campaigns } }: Pick<ContractStore, 'repositories'>,
      label: string,
      time: { now: number } = { now: start },
    ) => {
      let made = 0
      const held: ReferenceGuard = referenceGuard({
        clock: () => new Date(time.now),
        newId: () => {
          made += 1
          return `${label}${made}`
        },
      })
      const targetOf = ({ _id, projectId }: Segment) => ({ repository: segments, _id, projectId })
      return {
        use: (segment: Segment, campaign: Campaign) =>
          held.use([targetOf(segment)], () => campaigns.add({ ...campaign, segmentId: segment._id })),
        remove: (segment: Segment) =>
          held.unused(
            targetOf(segment),
            async () => {
              if (await campaigns.get({ segmentId: segment._id })) throw new Error('It is in use.')
            },
            (where) => segments.remove(where),
          ),
      }
    }
    const segmentOf = async (n: number): Promise<Segment> => {
      const segment = aSegment({ _id: numberedId(n) })
      await store().repositories.segments.add(segment)
      return segment
    }
    const standing = async (n: number) => {
      const { segments, campaigns } = store().repositories
      const [segment, campaign] = await Promise.all([
        segments.get({ _id: numberedId(n) }),
        campaigns.get({ segmentId: numberedId(n) }),
      ])
      return { segment, campaign }
    }

    it('are written, or their target is removed, but never both, under concurrency', async () => {
      const [a, b] = [processOn(store(), 'a'), processOn(store(), 'b')]
      for (let n = 1; n <= 30; n += 1) {
        const segment = await segmentOf(n)
        const using = () => a.use(segment, aCampaign({ _id: numberedId(1000 + n) }))
        const removing = () => b.remove(segment)
        const both = n % 2 === 0 ? [using(), removing()] : [removing(), using()]
        const succeeded = (await Promise.allSettled(both)).filter(({ status }) => status === 'fulfilled')
        expect(succeeded.length, `round ${n}`).toBeLessThanOrEqual(1)
        const { segment: left, campaign } = await standing(n)
        expect(campaign !== undefined && left === undefined, `round ${n}`).toBe(false)
      }
    })

    it('keep their target from being removed, and its record unchanged', async () => {
      const one = processOn(store(), 'a')
      const segment = await segmentOf(1)
      await one.use(segment, aCampaign())
      await expect(one.remove(segment)).rejects.toThrow('It is in use.')
      expect((await standing(1)).segment).toStrictEqual(segment)
    })

    it('are refused if the target was removed, and nothing is written', async () => {
      const one = processOn(store(), 'a')
      const segment = await segmentOf(1)
      await one.remove(segment)
      await expect(one.use(segment, aCampaign())).rejects.toThrow('Segment not found')
      expect(await standing(1)).toEqual({ segment: undefined, campaign: undefined })
    })

    it('can be written concurrently', async () => {
      const one = processOn(store(), 'a')
      const segment = await segmentOf(1)
      await Promise.all([1, 2, 3, 4, 5, 6].map((n) => one.use(segment, aCampaign({ _id: numberedId(100 + n) }))))
      expect((await standing(1)).segment).toStrictEqual(segment)
    })

    const deaths = [1, 2, 3].flatMap((n) => (['before', 'after'] as const).map((when) => ({ n, when })))

    it.each(deaths)('survive the death of their writer $when write $n', async ({ n, when }) => {
      const time = { now: start }
      const dying = processOn({ repositories: portsKilledAtWrite(store().repositories, n, when) }, 'dying', time)
      const other = processOn(store(), 'other', time)
      const segment = await segmentOf(1)
      await dying.use(segment, aCampaign()).catch(() => undefined)
      await other.remove(segment).catch(() => undefined)
      time.now += 120_000
      const removed = await other.remove(segment).then(
        () => true,
        () => false,
      )
      const { segment: left, campaign } = await standing(1)
      expect(left === undefined).toBe(campaign === undefined)
      expect(removed && campaign).toBeFalsy()
    })

    it.each(deaths)('can be written after the death of a remover $when write $n', async ({ n, when }) => {
      const time = { now: start }
      const dying = processOn({ repositories: portsKilledAtWrite(store().repositories, n, when) }, 'dying', time)
      const other = processOn(store(), 'other', time)
      const segment = await segmentOf(1)
      await dying.remove(segment).catch(() => undefined)
      time.now += 120_000
      await other.use(segment, aCampaign()).catch(() => undefined)
      const { segment: left, campaign } = await standing(1)
      expect(left === undefined).toBe(campaign === undefined)
    })

    it('win against a removal that took longer than its mark is valid', async () => {
      const time = { now: start }
      const [slow, other] = [processOn(store(), 'slow', time), processOn(store(), 'other', time)]
      const segment = await segmentOf(1)
      const { segments } = store().repositories
      const late = referenceGuard({ clock: () => new Date(time.now), newId: () => 'late' })
      const removal = late.unused(
        { repository: segments, _id: segment._id, projectId: segment.projectId },
        async () => {
          time.now += 120_000
          await other.use(segment, aCampaign())
        },
        (where) => segments.remove(where),
      )
      await expect(removal).rejects.toThrow('another request')
      expect((await standing(1)).campaign).toBeDefined()
      await expect(slow.remove(segment)).rejects.toThrow('It is in use.')
    })

    const pairs: readonly Pair[] = [
      pairOf('a list and a campaign to it', {
        target: ({ repositories: { subscriberLists } }) => subscriberLists,
        made: (n) => aSubscriberList({ _id: numberedId(n) }),
        refer: ({ repositories: { campaigns } }, _id, n) =>
          campaigns.add(aCampaign({ _id: numberedId(1000 + n), subscriberListId: _id })),
        isUsed: async ({ repositories: { campaigns } }, _id) =>
          (await campaigns.get({ subscriberListId: _id })) !== undefined,
        remove: ({ membershipStore }, where) => membershipStore.removeList(where),
      }),
      pairOf('a sender and a campaign from it', {
        target: ({ repositories: { senderIdentities } }) => senderIdentities,
        made: (n) =>
          aSenderIdentity({ _id: numberedId(n), email: `sender${n}@example.com`, emailKey: `sender${n}@example.com` }),
        refer: ({ repositories: { campaigns } }, _id, n) =>
          campaigns.add(aCampaign({ _id: numberedId(1000 + n), senderIdentity: _id })),
        isUsed: async ({ repositories: { campaigns } }, _id) =>
          (await campaigns.get({ senderIdentity: _id })) !== undefined,
      }),
      pairOf('the email of a verification link and a list that sends it', {
        target: ({ repositories: { transactionalEmails } }) => transactionalEmails,
        made: (n) => aTransactionalEmail({ _id: numberedId(n) }),
        refer: ({ repositories: { subscriberLists } }, emailId, n) => {
          const list = aSubscriberList({ _id: numberedId(1000 + n) })
          return subscriberLists.add({ ...list, doubleOptIn: { ...list.doubleOptIn, active: true, emailId } })
        },
        isUsed: async ({ repositories: { subscriberLists } }, emailId) => {
          for await (const { doubleOptIn } of subscriberLists.each({})) if (doubleOptIn.emailId === emailId) return true
          return false
        },
      }),
    ]

    it.each(pairs)(
      'never leave half of $name when use and removal are concurrent',
      async ({ add, use, remove, state }) => {
        const held = (label: string) => {
          let made = 0
          return referenceGuard({
            clock: () => new Date(start),
            newId: () => {
              made += 1
              return `${label}${made}`
            },
          })
        }
        const [a, b] = [held('a'), held('b')]
        for (let n = 1; n <= 10; n += 1) {
          await add(store(), n)
          const using = () => use(a, store(), n)
          const removing = () => remove(b, store(), n)
          const both = n % 2 === 0 ? [using(), removing()] : [removing(), using()]
          const succeeded = (await Promise.allSettled(both)).filter(({ status }) => status === 'fulfilled')
          expect(succeeded.length, `round ${n}`).toBeLessThanOrEqual(1)
          const { isThere, isUsed } = await state(store(), n)
          expect(isUsed && !isThere, `round ${n}`).toBe(false)
        }
      },
    )
  })
}
