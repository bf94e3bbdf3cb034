import { MongoServerError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { isDuplicateKey, takenKey } from '../../src/connection/duplicate-keys.js'

const keys = [['_id'], ['projectId', 'emailKey'], ['projectId']]
const refused = (fields: object) => new MongoServerError({ code: 11_000, errmsg: 'refused', ...fields })

describe('a duplicate key error', () => {
  it.each([11_000, 11_001, 12_582])('is recognised by the code %i', (code) => {
    expect(isDuplicateKey(refused({ code }))).toBe(true)
  })

  it('is not recognised by its message', () => {
    expect(isDuplicateKey(refused({ code: 121, errmsg: 'duplicate key' }))).toBe(false)
    expect(isDuplicateKey(new Error('E11000 duplicate key error'))).toBe(false)
  })

  it('names the key by the index pattern, whatever the message says', () => {
    expect(takenKey(refused({ keyPattern: { projectId: 1, emailKey: 1 } }), keys)).toEqual(['projectId', 'emailKey'])
    expect(takenKey(refused({ keyPattern: { _id: 1 }, errmsg: 'index: projectId_emailKey' }), keys)).toEqual(['_id'])
  })

  it.each([
    [
      'E11000 duplicate key error collection: p.contacts index: projectId_emailKey dup key: {}',
      ['projectId', 'emailKey'],
    ],
    ['Duplicate key violation on the requested collection: Index "projectId_emailKey"', ['projectId', 'emailKey']],
    ["E11000 duplicate key error collection: p.contacts index: '_id_' dup key", ['_id']],
    ['a key was taken', undefined],
  ])('names the key by the index name without a pattern: %s', (errmsg, key) => {
    expect(takenKey(refused({ errmsg }), keys)).toEqual(key)
  })
})
