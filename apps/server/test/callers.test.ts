import { expect, it } from 'vitest'
import { callersJourney } from './callers-journey.js'

it('programs that call repeat after a kill -9 without effect, and share one ledger, on SQLite', async () => {
  await expect(callersJourney({ POSTHORN_STORE: 'sqlite' })).resolves.toBeUndefined()
}, 600_000)
