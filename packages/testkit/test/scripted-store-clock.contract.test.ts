import { storeClockContract } from '@posthorn/testkit/contracts'
import { fixedClock, scriptedStoreClock } from '../src/index.js'

storeClockContract('A scripted store clock', async () => {
  const { now } = fixedClock()
  return { storeClock: scriptedStoreClock(now), now, close: async () => undefined }
})
