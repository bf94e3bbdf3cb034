import { jobsContract } from '@posthorn/testkit/contracts'
import { fixedClock, manualJobs } from '../src/index.js'

jobsContract('by a fixed clock', async () => {
  const clock = fixedClock()
  const jobs = manualJobs(clock)
  return { jobs, now: clock.now, pass: clock.pass, close: () => jobs.stop() }
})
