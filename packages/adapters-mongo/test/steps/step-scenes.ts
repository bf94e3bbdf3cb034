import type { FigureKey, Settlement } from '@posthorn/core/ports/storage'
import { aContact, aDelivery, aDispatch, aTime, numberedId } from '@posthorn/testkit'
import type { ContractStore } from '@posthorn/testkit/contracts'

type Store = Pick<ContractStore, 'deliveries' | 'counters' | 'figures' | 'repositories'>

/** Something that changes several documents: what there is before, and what is asked for. */
export type Scene = {
  readonly before: (store: Store) => Promise<unknown>
  readonly ask: (store: Store) => Promise<unknown>
}

const dispatchId = numberedId(0xd1)
const projectId = numberedId(0xb)
const emailId = numberedId(0xe1)
const row = (n: number, given = {}) =>
  aDelivery({ dispatchId, emailId, contactId: numberedId(n), email: `contact${n}@example.com`, ...given })
const rows = [1, 2, 3, 4, 5].map((n) => row(n))
const at = (seconds: number) => new Date(Date.parse(aTime) + seconds * 1000).toISOString()
const counted: readonly FigureKey[] = [
  { subject: 'email:a', metric: 'sent' },
  { subject: 'project:a', metric: 'sent' },
]

const accepted = (stage: 'sending' | 'expanding', deliveries = rows) => ({
  dispatch: aDispatch({ _id: dispatchId, stage, creditsHeld: 5, data: { $set: { a: 1 }, 'a.b': null } }),
  deliveries,
  takes: [
    { key: 'credit', n: 8, limit: 10 },
    { key: 'day', n: 5, limit: 5 },
  ],
})

const claim = { queue: { lane: 'bulk', projectId }, worker: 'w', now: at(0), leaseUntil: at(60), limit: 10 } as const
const claimed = async ({ deliveries }: Store) => {
  await deliveries.accept(accepted('sending'))
  await deliveries.claim(claim)
}

const settlement = (n: number, given: Partial<Settlement>): Settlement => ({
  _id: row(n)._id,
  worker: 'w',
  to: 'sent',
  now: at(1),
  attempted: true,
  counted,
  ...given,
})

export const scenes: Readonly<Record<string, Scene>> = {
  'a dispatch is accepted': {
    before: ({ counters }) => counters.take([{ key: 'credit', n: 2 }]),
    ask: ({ deliveries }) => deliveries.accept(accepted('sending')),
  },
  'a dispatch is refused for its second take': {
    before: ({ counters }) => counters.take([{ key: 'day', n: 1 }]),
    ask: ({ deliveries }) => deliveries.accept(accepted('sending')),
  },
  'the last page is expanded': {
    before: ({ deliveries }) => deliveries.accept(accepted('expanding', [])),
    ask: ({ deliveries }) =>
      deliveries.expand({
        dispatchId,
        after: undefined,
        cursor: numberedId(5),
        stage: 'sending',
        deliveries: rows,
        creditsHeld: 0,
        refund: { key: 'credit', n: 3 },
        now: at(1),
      }),
  },
  'outcomes of all kinds are recorded': {
    before: async (store) => {
      await store.repositories.contacts.add(aContact({ _id: numberedId(1) }))
      await claimed(store)
    },
    ask: ({ deliveries }) =>
      deliveries.settle([
        settlement(1, { providerMessageId: 'm', receivedBy: numberedId(1) }),
        settlement(2, { to: 'excluded', reason: 'paused', attempted: false, refund: 'credit', counted: [] }),
        settlement(3, { to: 'queued', notBefore: at(9), error: { name: '451', message: 'Later' }, counted: [] }),
        settlement(4, { to: 'failed', error: { name: '550', message: 'No' }, refund: 'credit' }),
        settlement(5, { worker: 'another' }),
      ]),
  },
  'the provider reports a mail': {
    before: async (store) => {
      await claimed(store)
      await store.deliveries.reclaim(at(61), at(300))
    },
    ask: ({ deliveries }) => deliveries.report(row(1)._id, 'm', at(62), counted),
  },
  'a mail is opened': {
    before: claimed,
    ask: ({ deliveries }) =>
      deliveries.mark({
        _id: row(1)._id,
        mark: 'opens',
        now: at(5),
        counted: (times) => [
          { subject: 'email:a', metric: 'opens' },
          ...(times === 1 ? [{ subject: 'email:a', metric: 'uniqueOpens' } as const] : []),
        ],
      }),
  },
  'what is queued is stopped': {
    before: async ({ deliveries }) => {
      await deliveries.accept(accepted('sending'))
      await deliveries.claim({ ...claim, limit: 2 })
    },
    ask: ({ deliveries }) => deliveries.stop(dispatchId, 'credit', at(5)),
  },
  'something is given back': {
    before: ({ counters }) => counters.take([{ key: 'credit', n: 3 }]),
    ask: ({ counters }) => counters.give({ key: 'credit', n: 2 }),
  },
  'more is given back than was taken': {
    before: ({ counters }) => counters.take([{ key: 'credit', n: 3 }]),
    ask: ({ counters }) => counters.give({ key: 'credit', n: 5 }),
  },
  'several figures are counted': {
    before: ({ figures }) => figures.add([{ subject: 'list:a', metric: 'subscribe', slot: '2026-01-06T12:00', n: 2 }]),
    ask: ({ figures }) =>
      figures.add([
        { subject: 'list:a', metric: 'subscribe', slot: '2026-01-06T12:00', n: 1 },
        { subject: 'list:a', metric: 'unsubscribe', slot: '2026-01-06T12:00', n: 1 },
        { subject: 'list:a', metric: 'subscribe', slot: '2026-01-06T12:15', n: 3 },
      ]),
  },
  'several counters are taken from': {
    before: ({ counters }) => counters.take([{ key: 'b', n: 2 }]),
    ask: ({ counters }) =>
      counters.take([
        { key: 'a', n: 1 },
        { key: 'b', n: 3, limit: 5 },
        { key: 'c', n: 1, limit: 1 },
      ]),
  },
}
