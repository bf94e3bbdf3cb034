import { type ContractOptions, type ContractStore, contracts } from '@posthorn/testkit/contracts'
import { afterAll, inject } from 'vitest'
import { openMongoStore } from '../src/index.js'
import { databases } from './databases.js'
import { onMongoDB } from './on-mongodb.js'

const { take, give, drop } = databases()
afterAll(drop)

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
const options: ContractOptions = ordersTexts ? {} : { without: ['order of code points'] }

onMongoDB('a store on MongoDB', () => {
  contracts('MongoDB', make, options)
})
