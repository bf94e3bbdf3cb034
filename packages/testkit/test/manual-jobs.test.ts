import { describe, expect, it } from 'vitest'
import { fixedClock, manualJobs } from '../src/index.js'

const start = () => {
  const clock = fixedClock('2026-01-06T12:00:00.000Z')
  const jobs = manualJobs(clock)
  const runs: string[] = []
  const inSeconds = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000)
  jobs.handle('note', async ({ text = '' }) => {
    runs.push(`${text} ${clock.now().toISOString().slice(14, 19)}`)
  })
  const note = (seconds: number, text: string) => jobs.at(inSeconds(seconds), text, { name: 'note', data: { text } })
  return { clock, jobs, runs, note }
}

describe('manual jobs', () => {
  it('run at their times, in order, while time passes', async () => {
    const { clock, jobs, runs, note } = start()
    await note(20, 'late')
    await note(10, 'early')
    await jobs.start()
    await clock.pass(30_000)
    expect(runs).toEqual(['early 00:10', 'late 00:20'])
  })

  it('run only on request before they are started', async () => {
    const { clock, jobs, runs, note } = start()
    await note(10, 'early')
    await note(99, 'far')
    await clock.pass(30_000)
    expect(runs).toEqual([])
    await jobs.runDue()
    expect(runs).toEqual(['early 00:30'])
    expect(jobs.waiting().map(({ key }) => key)).toEqual(['far'])
  })

  it('are retried with growing back-off, and report errors', async () => {
    const { clock, jobs } = start()
    const times: string[] = []
    jobs.handle('fail', async () => {
      times.push(clock.now().toISOString().slice(14, 19))
      throw new Error('not yet')
    })
    await jobs.at(clock.now(), 'a', { name: 'fail', data: {} })
    await jobs.start()
    await clock.pass(75_000)
    expect(times).toEqual(['00:00', '00:10', '00:30', '01:10'])
    expect(jobs.failures.map(String)).toEqual(new Array(4).fill('Error: not yet'))
  })

  it('drop a job that was cancelled while it failed', async () => {
    const { clock, jobs } = start()
    jobs.handle('fail', async () => {
      await jobs.cancel('a')
      throw new Error('not yet')
    })
    await jobs.at(clock.now(), 'a', { name: 'fail', data: {} })
    await jobs.runDue()
    expect(jobs.waiting()).toEqual([])
  })

  it('run repeated jobs at once and then by their interval', async () => {
    const { clock, jobs } = start()
    const times: string[] = []
    jobs.handle('tend', async () => {
      times.push(clock.now().toISOString().slice(14, 19))
    })
    await jobs.every(60, 'tend')
    await jobs.every(60, 'tend')
    await jobs.start()
    await clock.pass(150_000)
    expect(times).toEqual(['00:00', '01:00', '02:00'])
  })

  it('keep a job without a handler', async () => {
    const { clock, jobs } = start()
    await jobs.at(clock.now(), 'a', { name: 'unknown', data: {} })
    await jobs.start()
    await jobs.runDue()
    expect(jobs.waiting()).toHaveLength(1)
  })
})
