import { storeContract } from './store-contract.js'

storeContract('ledger')
