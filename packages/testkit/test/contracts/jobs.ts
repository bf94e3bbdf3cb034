import type { Job, Jobs } from '@posthorn/core/ports/runtime'
import { describe, expect, it, vi } from 'vitest'
import { freshStore } from './under-test/store.js'

/** What a scheduler provides to its contract. */
export type ContractJobs = {
  /** Not started, without jobs at first. */
  readonly jobs: Jobs
  /** Another process on the same jobs, not started; only `sharedJobsContract` calls it. `close` closes it, too. */
  readonly another?: () => Promise<Jobs>
  /** The time by which the scheduler decides what is due. */
  readonly now: () => Date
  /** Lets this time pass, in reality or on a fake clock. */
  readonly pass: (milliseconds: number) => Promise<void>
  /** Stops every scheduler that was made, started or not. Called once, also after a failed test. */
  readonly close: () => Promise<void>
}

const numbersOf = (runs: readonly Job['data'][]) => runs.map(({ n }) => Number(n)).toSorted((a, b) => a - b)

const patience = 50_000
const step = 50

type MakeJobs = () => Promise<ContractJobs>

/** Helpers of the suites. */
const model = (world: () => ContractJobs) => {
  const inFuture = (milliseconds: number) => new Date(world().now().getTime() + milliseconds)

  /** Whether the condition becomes true before the patience runs out. */
  const eventually = async (holds: () => boolean): Promise<boolean> => {
    for (let waited = 0; waited < patience && !holds(); waited += step) await world().pass(step)
    return holds()
  }

  /** Collects the runs of the job in the process; the handler throws in the first `throws` runs. */
  const noting = (jobs: Jobs, job: string, throws = 0) => {
    const runs: Job['data'][] = []
    jobs.handle(job, async (data) => {
      runs.push(data)
      if (runs.length <= throws) throw new Error(`not yet: ${runs.length}`)
    })
    return runs
  }

  return { inFuture, eventually, noting }
}

/** Every method of `Jobs`. Tests check that something happens eventually or not yet, never at an exact moment. */
export const jobsContract = (name: string, make: MakeJobs) => {
  describe(`${name}: jobs`, () => {
    const world = freshStore(make)
    const { inFuture, eventually, noting } = model(world)

    it('run once, at their time, with their data', async () => {
      const { jobs, pass } = world()
      const runs = noting(jobs, 'greet')
      await jobs.start()
      await jobs.at(inFuture(3_600_000), 'b', { name: 'greet', data: { to: 'nobody yet' } })
      await jobs.at(inFuture(600), 'a', { name: 'greet', data: { to: 'Zoë “😀”', empty: '' } })
      expect(await eventually(() => runs.length > 0)).toBe(true)
      await pass(500)
      expect(runs).toEqual([{ to: 'Zoë “😀”', empty: '' }])
    })

    it('run soon if their time is past, also if it passed before the start', async () => {
      const { jobs } = world()
      const runs = noting(jobs, 'greet')
      await jobs.at(inFuture(-60_000), 'before', { name: 'greet', data: { n: '1' } })
      await jobs.start()
      expect(await eventually(() => runs.length === 1)).toBe(true)
      await jobs.at(inFuture(-60_000), 'after', { name: 'greet', data: { n: '2' } })
      expect(await eventually(() => runs.length === 2)).toBe(true)
    })

    it('are replaced by a job with the same key', async () => {
      const { jobs, pass } = world()
      const runs = noting(jobs, 'greet')
      await jobs.at(inFuture(86_400_000), 'a', { name: 'greet', data: { n: '1' } })
      await jobs.at(inFuture(100), 'a', { name: 'greet', data: { n: '2' } })
      await jobs.at(inFuture(100), 'b', { name: 'greet', data: { n: '3' } })
      await jobs.start()
      expect(await eventually(() => runs.length === 2)).toBe(true)
      await pass(300)
      expect(numbersOf(runs)).toEqual([2, 3])
    })

    it('do not run after they are cancelled', async () => {
      const { jobs, pass } = world()
      const runs = noting(jobs, 'greet')
      await jobs.at(inFuture(100), 'a', { name: 'greet', data: { n: '1' } })
      await jobs.at(inFuture(200), 'ab', { name: 'greet', data: { n: '2' } })
      await jobs.cancel('a')
      await jobs.cancel('unknown')
      await jobs.start()
      expect(await eventually(() => runs.length === 1)).toBe(true)
      await pass(300)
      expect(runs).toEqual([{ n: '2' }])
    })

    it('can schedule themselves again while running', async () => {
      const { jobs } = world()
      let runs = 0
      jobs.handle('tick', async (data) => {
        runs += 1
        if (runs < 3) await jobs.at(inFuture(50), 'tick', { name: 'tick', data })
      })
      await jobs.start()
      await jobs.at(inFuture(50), 'tick', { name: 'tick', data: {} })
      expect(await eventually(() => runs === 3)).toBe(true)
    })

    it('are retried if they throw, without delaying others', async () => {
      const { jobs } = world()
      const failing = noting(jobs, 'failing', 1)
      const other = noting(jobs, 'greet')
      await jobs.start()
      await jobs.at(inFuture(50), 'a', { name: 'failing', data: { n: '1' } })
      await jobs.at(inFuture(60), 'b', { name: 'greet', data: {} })
      expect(await eventually(() => failing.length === 2 && other.length === 1)).toBe(true)
      expect(failing).toEqual([{ n: '1' }, { n: '1' }])
    })

    it('repeat, also if scheduled twice', async () => {
      const { jobs } = world()
      const runs = noting(jobs, 'tend')
      await jobs.every(1, 'tend')
      await jobs.every(1, 'tend')
      await jobs.start()
      expect(await eventually(() => runs.length >= 3)).toBe(true)
    })

    it('finish before the scheduler stops, and none starts after that', async () => {
      const { jobs, pass } = world()
      const said: string[] = []
      let end = () => {}
      jobs.handle('long', async () => {
        said.push('begun')
        await new Promise<void>((resolve) => {
          end = resolve
        })
        said.push('ended')
      })
      const runs = noting(jobs, 'greet')
      await jobs.start()
      await jobs.at(inFuture(50), 'a', { name: 'long', data: {} })
      expect(await eventually(() => said.length > 0)).toBe(true)
      const stopped = jobs.stop().then(() => said.push('stopped'))
      await pass(200)
      end()
      await stopped
      expect(said).toEqual(['begun', 'ended', 'stopped'])
      await jobs.at(inFuture(50), 'b', { name: 'greet', data: {} })
      await pass(500)
      expect(runs).toEqual([])
    })
  })
}

/** What several processes on the same jobs rely on. For schedulers that provide `another`. */
export const sharedJobsContract = (name: string, make: MakeJobs) => {
  describe(`${name}: jobs of several processes`, () => {
    const world = freshStore(make)
    const { inFuture, eventually, noting } = model(world)

    it('run in one of several processes', async () => {
      const { jobs, another, pass } = world()
      if (!another) throw new Error('The scheduler brings no `another`')
      const other = await another()
      const runs = [noting(jobs, 'greet'), noting(other, 'greet')]
      await Promise.all([jobs.start(), other.start()])
      for (let n = 0; n < 10; n += 1) await jobs.at(inFuture(50), `job-${n}`, { name: 'greet', data: { n: `${n}` } })
      expect(await eventually(() => runs.flat().length >= 10)).toBe(true)
      await pass(500)
      expect(numbersOf(runs.flat())).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      await other.stop()
    })

    it('run after one interval even if the clock that scheduled them was ahead', async () => {
      const { jobs, another } = world()
      if (!another) throw new Error('The scheduler brings no `another`')
      const runs = noting(jobs, 'tend')
      try {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000, shouldAdvanceTime: true })
        await jobs.every(1, 'tend')
        await jobs.start()
        expect(await eventually(() => runs.length > 0)).toBe(true)
      } finally {
        vi.useRealTimers()
      }
      const before = runs.length
      expect(await eventually(() => runs.length > before)).toBe(true)

      try {
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000, shouldAdvanceTime: true })
        const already = runs.length
        expect(await eventually(() => runs.length > already)).toBe(true)
        await jobs.stop()
      } finally {
        vi.useRealTimers()
      }
      const later = await another()
      const runsLater = noting(later, 'tend')
      await later.every(1, 'tend')
      await later.start()
      expect(await eventually(() => runsLater.length > 0)).toBe(true)
    })
  })
}
