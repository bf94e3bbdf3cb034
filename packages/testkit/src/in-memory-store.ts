import { repositoriesOf } from '@posthorn/core'
import { inMemoryAudience } from './in-memory-audience.js'
import { inMemoryCounters } from './in-memory-counters.js'
import { inMemoryDeliveries } from './in-memory-deliveries.js'
import { inMemoryFiles } from './in-memory-files.js'
import { inMemoryRepository } from './in-memory-repository.js'

/** Every storage port in memory, empty. */
export const inMemoryStore = () => {
  const repositories = repositoriesOf(inMemoryRepository)
  const { counters, takeNow, giveNow } = inMemoryCounters()
  return {
    repositories,
    counters,
    deliveries: inMemoryDeliveries({ dispatches: repositories.dispatches, takeNow, giveNow }),
    audience: inMemoryAudience(repositories),
    files: inMemoryFiles(),
    close: async (): Promise<void> => {},
  }
}
