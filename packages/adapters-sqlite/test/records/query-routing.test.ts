import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { queryAccountLookup } from '../../src/records/query-routing.js'
import { closeFile, openFile } from '../store-for-each.js'

describe('a query’s time', () => {
  let opened: Awaited<ReturnType<typeof openFile>>
  beforeEach(async () => {
    opened = await openFile()
    const { raw } = opened
    await raw.write(() => {
      for (const [project, account] of [
        ['p1', 'a'],
        ['p2', 'a'],
        ['p3', 'b'],
      ] as const)
        raw.statement(`INSERT INTO projects (_id, "accountId", doc) VALUES (?, ?, '{}')`).run(project, account)
      raw.statement(`INSERT INTO "subscriberLists" (_id, "projectId", doc) VALUES ('l2', 'p2', '{}')`).run()
    })
  })
  afterEach(() => closeFile(opened))

  it('is charged to the account of its project or list', () => {
    const ownerOf = queryAccountLookup(opened.raw)
    const named = [{ projectId: 'p1' }, { projectId: 'p2' }, { subscriberListId: 'l2' }, { accountId: 'a' }]
    expect(named.map(ownerOf)).toEqual(['a', 'a', 'a', 'a'])
    expect(ownerOf({ projectId: 'p3', subscriberListId: 'l2' })).toBe('b')
  })

  it('is charged to the given id if no account is known', () => {
    const ownerOf = queryAccountLookup(opened.raw)
    expect([{ projectId: 'gone' }, { subscriberListId: 'gone' }, {}].map(ownerOf)).toEqual(['gone', 'gone', undefined])
  })
})
