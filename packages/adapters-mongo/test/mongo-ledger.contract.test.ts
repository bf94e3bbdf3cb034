import { countersContract, deliveriesContract, figuresContract, sharingContract } from '@posthorn/testkit/contracts'
import { afterAll } from 'vitest'
import { ledgerStores } from './ledger-store.js'
import { onMongoDB } from './on-mongodb.js'

const { make, drop } = ledgerStores()
afterAll(drop)

onMongoDB('the ledger on MongoDB', () => {
  countersContract('MongoDB', make)
  figuresContract('MongoDB', make)
  deliveriesContract('MongoDB', make)
  sharingContract('MongoDB', make)
})
