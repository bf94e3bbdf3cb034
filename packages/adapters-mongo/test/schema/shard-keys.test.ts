import { describe, expect, it } from 'vitest'
import { routeOfCommand, shardsOfCommand } from '../../../../tests/bench/mongodb-routing.js'
import { deliveryIdsFilter } from '../../src/ledger/ledger-collections.js'

const route = (name: string, collection: string, command: object) => routeOfCommand({ name, collection, command })

describe('a sharded cluster as documented', () => {
  it.each([
    [
      'deliveries of one dispatch, by their ids',
      'find',
      'deliveries',
      { filter: deliveryIdsFilter(['d:1', 'd:2']) },
      'one',
    ],
    ['deliveries of two, by their ids', 'find', 'deliveries', { filter: deliveryIdsFilter(['d:1', 'e:2']) }, 'some'],
    ['the head of a queue', 'find', 'deliveries', { filter: { status: 'queued', projectId: 'p' } }, 'all'],
    [
      'outcomes of a dispatch',
      'update',
      'deliveries',
      { updates: ['d:1', 'd:2'].map((_id) => ({ q: { _id, dispatchId: 'd' } })) },
      'one',
    ],
    ['a tally', 'aggregate', 'deliveries', { pipeline: [{ $match: { dispatchId: 'd' } }] }, 'one'],
    ['contacts of a project', 'find', 'contacts', { filter: { $and: [{ projectId: { $eq: 'p' } }] } }, 'one'],
    ['a contact by its id alone', 'find', 'contacts', { filter: { _id: 'c' } }, 'all'],
    ['what is not sharded', 'find', 'projects', { filter: { name: 'n' } }, 'one'],
    [
      'mails that are added for a dispatch',
      'insert',
      'deliveries',
      { documents: [{ _id: 'd:1', dispatchId: 'd' }] },
      'one',
    ],
  ])('%s reach the right shards', (_, name, collection, command, expected) => {
    expect(route(name, collection, command)).toBe(expected)
  })

  it('sends commands to the shards of their values, to all without values, and to the first if unsharded', () => {
    const shards = (name: string, collection: string, command: object) =>
      shardsOfCommand({ name, collection, command }, 4)
    const one = shards('find', 'deliveries', { filter: deliveryIdsFilter(['d:1', 'd:2']) })
    expect(one).toHaveLength(1)
    expect(shards('insert', 'deliveries', { documents: [{ _id: 'd:1', dispatchId: 'd' }] })).toEqual(one)
    expect(shards('find', 'deliveries', { filter: { status: 'queued' } })).toEqual([0, 1, 2, 3])
    expect(shards('find', 'projects', { filter: {} })).toEqual([0])
    const many = Array.from({ length: 100 }, (_, n) => ({ q: { _id: `${n}` }, u: {} }))
    expect(shards('update', 'figures', { updates: many })).toEqual([0, 1, 2, 3])
    expect(shardsOfCommand({ name: 'ping', collection: undefined, command: {} }, 4)).toBeUndefined()
  })
})
