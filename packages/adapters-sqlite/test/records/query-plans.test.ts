import { rmSync } from 'node:fs'
import { records } from '@posthorn/core/ports/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openDatabase, type SqliteDatabase } from '../../src/database/sqlite-database.js'
import { documentRecordMapping } from '../../src/records/record-table.js'
import { whereSql } from '../../src/records/where-sql.js'
import { createSchema } from '../../src/sqlite-schema.js'
import { folder } from '../folder.js'

let database: SqliteDatabase
let path = ''
beforeAll(async () => {
  const made = await folder()
  path = made.path
  database = openDatabase(made.file)
  createSchema(database)
})
afterAll(async () => {
  await database.close()
  rmSync(path, { recursive: true, force: true })
})

const planOf = (collection: keyof typeof records, where: object) => {
  const { text, parameters } = whereSql(where, documentRecordMapping(records[collection] as never).columns)
  const plan = database.statement(
    `EXPLAIN QUERY PLAN SELECT doc FROM "${collection}" WHERE ${text} AND _id > ? ORDER BY +_id LIMIT 500`,
  )
  return plan
    .all(...parameters, '')
    .map(({ detail }) => String(detail))
    .join('; ')
}

/** What a worker asks for every batch of recipients: never by walking through a project or a list. */
describe('a batch’s recipients', () => {
  const ids = ['a', 'b', 'c']

  it('are found among contacts by id', () => {
    expect(planOf('contacts', { _id: ids, projectId: 'p' })).toMatch(/SEARCH contacts USING PRIMARY KEY \(_id=\?/)
  })

  it('are found among subscribers by list and contact', () => {
    expect(planOf('subscribers', { subscriberListId: 'l', contactId: ids })).toMatch(
      /subscribers_subscriberListId_contactId_key \(subscriberListId=\? AND contactId=\?/,
    )
  })

  it('are found among suppressions and contacts by address', () => {
    expect(planOf('suppressions', { projectId: 'p', emailKey: ids })).toMatch(
      /suppressions_projectId_emailKey_key \(projectId=\? AND emailKey=\?/,
    )
    expect(planOf('contacts', { projectId: 'p', emailKey: ids })).toMatch(
      /contacts_projectId_emailKey_key \(projectId=\? AND emailKey=\?/,
    )
  })
})
