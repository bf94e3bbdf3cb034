import { describe } from 'vitest'
import { type ContractOptions, freshStore, type MakeStore } from '../under-test/store.js'
import { changingContract } from './repository-changing.js'
import { keepingContract } from './repository-keeping.js'
import { listingContract } from './repository-listing.js'
import { repositoryProperties } from './repository-properties.js'
import { roomContract } from './repository-room.js'
import { whereContract } from './repository-where.js'

/** Every method of `Repository`, on repositories from `records.ts`. */
export const repositoryContract = (name: string, make: MakeStore, options: ContractOptions = {}) => {
  describe(`${name}: a repository`, () => {
    const store = freshStore(make)
    keepingContract(store)
    whereContract(store)
    listingContract(store, options)
    changingContract(store)
    roomContract(store)
    repositoryProperties(make, options)
  })
}
