import { contracts } from '../src/contracts/index.js'
import { inMemoryStore } from '../src/index.js'

contracts('in memory', async () => inMemoryStore(), { without: ['processes'] })
