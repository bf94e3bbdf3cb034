import { collected, type Repositories, type Repository, type StoredRecord } from '@posthorn/core/ports/storage'
import {
  audienceContract,
  type ContractStore,
  contactSearchContract,
  countersContract,
  deliveriesContract,
  dispatchResultsContract,
  figuresContract,
} from '@posthorn/testkit/contracts'
import { afterAll, describe, expect, it } from 'vitest'
import { openMongoDatabase } from '../../src/connection/mongo-database.js'
import { ledgerIndexes } from '../../src/ledger/ledger-collections.js'
import { mongoStoreOn } from '../../src/mongo-store.js'
import { recordIndexes } from '../../src/schema/indexes.js'
import { databases } from '../databases.js'
import { onMongoDB } from '../on-mongodb.js'
import { excess, excessive, queryShapes, unled } from './query-shapes.js'

const log = () => {}
const { take, give, drop } = databases()
afterAll(drop)

const shapes = queryShapes()

const opened = async () => {
  const url = take()
  const database = await openMongoDatabase({ url: `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true`, log })
  const store = await mongoStoreOn(database, log)
  shapes.listen(database.db)
  return { database, store, close: () => store.close().then(() => give(url)) }
}

/** What the core asks of the records, apart from `_id`. */
const lookups: { readonly [K in keyof Repositories]?: readonly object[] } = {
  accounts: [{ urlFriendlyName: 'a' }],
  projects: [{ accountId: 'a' }],
  apiKeys: [{ digest: 'd' }, { projectId: 'p', digest: 'd' }, { projectId: 'p' }],
  accessRequests: [{ projectId: 'p' }, { status: 'pending' }],
  domains: [{ projectId: 'p' }, { domain: 'd', region: 'r' }, { projectId: 'p', domain: 'd', region: 'r' }],
  designSystems: [{ projectId: 'p' }],
  senderIdentities: [{ projectId: 'p' }, { projectId: 'p', region: 'r' }],
  contacts: [
    { projectId: 'p' },
    { projectId: 'p', tags: 't' },
    { projectId: 'p', emailKey: ['a', 'b'] },
    { projectId: 'p', _id: ['a', 'b'] },
    { projectId: 'p', 'customFields.city': 'c' },
  ],
  customFields: [{ projectId: 'p' }, { projectId: 'p', key: 'n' }],
  contactTags: [{ projectId: 'p' }, { projectId: 'p', value: ['a', 'b'] }],
  subscriberLists: [{ projectId: 'p' }, { projectId: 'p', 'doubleOptIn.emailId': 'e' }],
  subscribers: [
    { subscriberListId: 'l' },
    { subscriberListId: 'l', status: 'active' },
    { subscriberListId: 'l', contactId: ['a', 'b'] },
    { contactId: ['a', 'b'] },
    { contactId: 'a', projectId: 'p' },
  ],
  signupForms: [{ projectId: 'p' }, { projectId: 'p', 'doubleOptIn.emailId': 'e' }],
  segments: [{ projectId: 'p' }],
  campaigns: [{ projectId: 'p', segmentId: 's' }, { status: 'scheduled' }, { subscriberListId: 'l' }],
  triggeredEmails: [{ projectId: 'p' }, { subscriberListId: 'l' }],
  transactionalEmails: [{ projectId: 'p' }],
  templates: [{ projectId: 'p' }],
  suppressions: [{ projectId: 'p' }, { projectId: 'p', emailKey: ['a', 'b'] }],
  galleryFolders: [{ parentFolderId: 'f', depth: 1 }, { treeId: 't' }],
  galleryImages: [{ file: 'f' }, { parentFolderId: 'f' }, { treeId: 't', parentFolderId: null }],
  contents: [{ projectId: 'p' }],
  dispatches: [{ stage: ['expanding', 'sending'] }, { emailId: 'e' }, { projectId: 'p' }],
  webhooks: [{ projectId: 'p' }],
  webhookDeliveries: [
    { state: 'pending' },
    { projectId: 'p', webhookId: 'w', state: 'pending' },
    { projectId: 'p', deliveryId: ['d'] },
  ],
}

const askAll = async (repository: Repository<StoredRecord>, where: object): Promise<void> => {
  const asked = where as { readonly _id: string }
  const sort = { by: 'createdAt', order: 'desc' } as unknown as { readonly by: '_id'; readonly order: 'desc' }
  await repository.get(asked)
  await repository.list({ where: asked, sort, skip: 0, limit: 20 })
  await collected(repository.each(asked))
  await repository.removeAll(asked)
}

onMongoDB('every query that the store makes', () => {
  const make = async (): Promise<ContractStore> => {
    const { store, close } = await opened()
    return { ...store, close }
  }
  countersContract('MongoDB, listened to', make, { runs: 1 })
  figuresContract('MongoDB, listened to', make, { runs: 1 })
  deliveriesContract('MongoDB, listened to', make, { runs: 1 })
  dispatchResultsContract('MongoDB, listened to', make, { runs: 1 })
  audienceContract('MongoDB, listened to', make, { runs: 1 })
  contactSearchContract('MongoDB, listened to', make, { runs: 1 })

  it('uses fields that an index begins with', async () => {
    const { store, close } = await opened()
    for (const [collection, wheres] of Object.entries(lookups))
      for (const where of wheres)
        await askAll(store.repositories[collection as keyof Repositories] as unknown as Repository<StoredRecord>, where)
    await close()
    expect(shapes.all().length).toBeGreaterThan(100)
    expect(unled(shapes.all(), { ...recordIndexes, ...ledgerIndexes })).toEqual([])
  })

  onMongoDB(
    'as the server explains them',
    () => {
      it('are led to their results by an index', async () => {
        const { database, close } = await opened()
        expect(await excessive(database.db, shapes.all())).toEqual([])
        await close()
      })
    },
    'explain',
  )
})

/** Answers to `explain`, as its documentation has them (https://www.mongodb.com/docs/manual/reference/explain-results/). */
describe('the check of a query plan', () => {
  const scan = {
    stage: 'FETCH',
    inputStage: { stage: 'IXSCAN', indexName: 'a__id', indexBounds: { a: ['["x", "x"]'] } },
  }
  const walk = {
    stage: 'FETCH',
    inputStage: { stage: 'IXSCAN', indexName: '_id_', indexBounds: { _id: ['[MinKey, MaxKey]'] } },
  }

  it.each([
    ['looks up what it needs', { queryPlanner: { winningPlan: scan } }, undefined],
    ['walks along an index', { queryPlanner: { winningPlan: walk } }, 'reads the whole index _id_'],
    ['reads everything', { queryPlanner: { winningPlan: { stage: 'COLLSCAN' } } }, 'reads the whole collection'],
    [
      'reads everything in a pipeline',
      { stages: [{ $cursor: { queryPlanner: { winningPlan: { queryPlan: { stage: 'COLLSCAN' } } } } }] },
      'reads the whole collection',
    ],
    [
      'does no better than another',
      { queryPlanner: { winningPlan: walk, rejectedPlans: [{ stage: 'FETCH', inputStage: walk }, scan] } },
      undefined,
    ],
    ['is missing tells nothing', { ok: 1 }, 'no plan was explained'],
  ])('reports a plan that %s', (_, explained, reason) => {
    expect(excess(explained)).toBe(reason)
  })
})
