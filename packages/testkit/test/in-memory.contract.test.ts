import { contracts } from '@posthorn/testkit/contracts'
import { inMemoryStore } from '../src/index.js'

contracts('in memory', async () => inMemoryStore(), { without: ['processes'] })
