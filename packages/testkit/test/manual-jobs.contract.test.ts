import { jobsContract } from '../src/contracts/index.js'
import { fixedClock, manualJobs } from '../src/index.js'

jobsContract('by a fixed clock', async () => {
  const clock = fixedClock()
  const jobs = manualJobs(clock)
  return { jobs, now: clock.now, pass: clock.pass, close: () => jobs.stop() }
})
