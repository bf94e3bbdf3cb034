import { type ContractOptions, type ContractStore, contractParts } from '@posthorn/testkit/contracts'
import { afterAll, inject } from 'vitest'
import { thorough } from '../../../../tests/thorough.js'
import { openMongoStore } from '../../src/index.js'
import { databases } from '../databases.js'
import { onMongoDB } from '../on-mongodb.js'

/** A part in a file of its own: together they take longer than all other files. */
export const storeContract = (part: keyof typeof contractParts): void => {
  const { take, give, drop } = databases()
  const make = async (): Promise<ContractStore> => {
    const url = take()
    const open = async (close: () => Promise<void>): Promise<ContractStore> => {
      const store = await openMongoStore({ url, log: () => {} })
      return {
        ...store,
        another: () => open(async () => {}),
        close: async () => {
          await store.close()
          await close()
        },
      }
    }
    return open(() => give(url))
  }
  const ordersTexts = inject('mongo').can.includes('order of code points')
  const options: ContractOptions = {
    runs: thorough ? 50 : 15,
    ...(!ordersTexts && { without: ['order of code points'] as const }),
  }

  onMongoDB('a store on MongoDB', () => {
    afterAll(drop)
    contractParts[part]('MongoDB', make, options)
  })
}
