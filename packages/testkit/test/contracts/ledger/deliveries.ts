import { describe } from 'vitest'
import { type ContractOptions, freshStore, type MakeStore } from '../under-test/store.js'
import { acceptingContract } from './deliveries-accepting.js'
import { askingContract } from './deliveries-asking.js'
import { holdingContract, holdingProperties } from './deliveries-holding.js'
import { marksContract } from './deliveries-marks.js'
import { movesContract } from './deliveries-moves.js'
import { deliveriesProperties } from './deliveries-properties.js'
import { pruningContract } from './deliveries-pruning.js'
import { togetherContract } from './deliveries-together.js'
import { workingContract } from './deliveries-working.js'

/** Every method of `Deliveries`, and the invariants under concurrent and dying workers. */
export const deliveriesContract = (name: string, make: MakeStore, options: ContractOptions = {}) => {
  describe(`${name}: the ledger`, () => {
    const store = freshStore(make)
    acceptingContract(store)
    togetherContract(store)
    holdingContract(store)
    workingContract(store)
    movesContract(store)
    marksContract(store)
    askingContract(store)
    pruningContract(store)
    holdingProperties(make, options)
    deliveriesProperties(make, options)
  })
}
