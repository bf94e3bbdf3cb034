import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FairSchedulerLimits, fairScheduler } from '../../src/kernel/fair-scheduler.js'

type Task = { owner: string; name: string; bytes: number; time: number; place: number }

/** A scheduler on a clock that stands still unless tasks run, each for as long as it says. */
const schedulerOf = (limits: Partial<FairSchedulerLimits> = {}) => {
  let now = 0
  const scheduler = fairScheduler<Task>({ atOnce: 1, ...limits }, () => now)
  const task = (name: string, given: Partial<Task> = {}): Task => ({
    ...{ owner: name[0] as string, name, time: 10, bytes: 1, place: 0 },
    ...given,
  })
  return {
    ...scheduler,
    task,
    add: (...names: readonly string[]) => names.map((name) => scheduler.add(task(name))),
    put: scheduler.add,
    pass: (time: number) => {
      now += time
    },
    runAll: (): readonly string[] => {
      const order: string[] = []
      for (let one = scheduler.next(); one; one = scheduler.next()) {
        order.push(one.name)
        now += one.time
        scheduler.done(one, one.time)
      }
      return order
    },
  }
}
const nameOf = (task: Task | undefined) => task?.name

describe('a fair scheduler', () => {
  it('starts tasks of owners in turn, and tasks of one owner in order', () => {
    const { add, runAll } = schedulerOf()
    add('a1', 'a2', 'a3', 'b1', 'b2', 'c1')
    expect(runAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('delays another owner by at most one of fifty long tasks', () => {
    const { put, task, runAll, next, done } = schedulerOf()
    for (let n = 0; n < 50; n += 1) put(task(`hostile${n}`, { owner: 'hostile', time: 5_000 }))
    const first = next()
    if (first) done(first, 5_000)
    for (let n = 0; n < 10; n += 1) put(task(`other${n}`, { owner: 'other' }))
    expect(runAll().slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => `other${n}`))
  })

  it('forgets usage after a while', () => {
    const { add, put, task, runAll, pass } = schedulerOf()
    put(task('a0', { time: 5_000 }))
    runAll()
    pass(60 * 60_000)
    add('b1', 'a1', 'b2')
    expect(runAll()).toEqual(['b1', 'a1', 'b2'])
  })

  it('never exceeds its limits, in total and per owner', () => {
    const { add, next, done } = schedulerOf({ atOnce: 3, atOnceOfOwner: 2 })
    add('a1', 'a2', 'a3', 'b1')
    const all = [next(), next(), next(), next()]
    expect(all.map(nameOf)).toEqual(['a1', 'b1', 'a2', undefined])
    if (all[1]) done(all[1], 1)
    expect(next()).toBeUndefined()
    if (all[0]) done(all[0], 1)
    expect(nameOf(next())).toBe('a3')
  })

  it('gives an owner a second place only if no owner without one waits', () => {
    const { add, put, task, next, runAll } = schedulerOf({ atOnce: 2 })
    put(task('b0', { time: 9_000 }))
    runAll()
    add('a1', 'a2', 'b1')
    expect([next(), next()].map(nameOf)).toEqual(['a1', 'b1'])
  })

  it('starts an owner’s tasks by place', () => {
    const { put, task, runAll } = schedulerOf()
    put(task('a3', { place: 3 }))
    put(task('a1', { place: 1 }))
    put(task('a4', { place: 3 }))
    put(task('a2', { place: 2 }))
    expect(runAll()).toEqual(['a1', 'a2', 'a3', 'a4'])
  })

  it('limits waiting tasks by number and bytes, per owner and in all', () => {
    const { put, task, next, remove } = schedulerOf({ waitingOfOwner: 2, bytesOfOwner: 1_000, bytesOfAll: 1_500 })
    const large = task('a1', { bytes: 900 })
    const others = [task('a2', { bytes: 200 }), task('a3'), task('a4')]
    expect([large, ...others].map(put)).toEqual([true, false, true, false])
    expect([task('b1', { bytes: 600 }), task('b2', { bytes: 500 })].map(put)).toEqual([false, true])
    expect([remove(large), remove(large)]).toEqual([true, false])
    expect(put(task('b1', { bytes: 500 }))).toBe(true)
    expect(nameOf(next())).toBe('a3')
    const few = schedulerOf({ waitingOfAll: 2 })
    expect(few.add('a1', 'b1', 'c1')).toEqual([true, true, false])
  })

  it('loses no task in any sequence of adding, pausing and finishing', () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('run', 'pause')), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (all) => {
        const { put, task, next, done, pause, runAll } = schedulerOf()
        let expected = 0
        let ran = 0
        for (const step of all) {
          const one = step === 'run' || step === 'pause' ? next() : undefined
          if (one && step === 'pause') pause(one, 3)
          else if (one) {
            ran += 1
            done(one, one.time)
          } else if (step !== 'run' && step !== 'pause') expected += put(task(step)) ? 1 : 0
        }
        expect(ran + runAll().length).toBe(expected)
      }),
    )
  })
})

describe('a running task', () => {
  const running = (...names: readonly string[]) => {
    const scheduler = schedulerOf({ atOnce: 2 })
    scheduler.add(...names)
    return { ...scheduler, tasks: [scheduler.next(), scheduler.next()] as [Task, Task] }
  }

  it('is not paused while no other owner waits', () => {
    const { pressure, add, tasks } = running('a1', 'a2')
    expect(tasks.map(pressure)).toEqual(['none', 'none'])
    add('a3')
    expect(tasks.map(pressure)).toEqual(['none', 'none'])
  })

  it('is paused at once if its owner has both places and another has none', () => {
    const { pressure, add, tasks } = running('a1', 'a2')
    add('b1')
    expect(tasks.map(pressure)).toEqual(['now', 'now'])
  })

  it('must pause soon if its owner has one place', () => {
    const { pressure, add, tasks } = running('a1', 'b1')
    add('c1')
    expect(tasks.map(pressure)).toEqual(['soon', 'soon'])
  })

  it('must pause for an earlier task of its owner', () => {
    const scheduler = schedulerOf()
    scheduler.put(scheduler.task('a2', { place: 2 }))
    const task = scheduler.next() as Task
    scheduler.put(scheduler.task('a1', { place: 1 }))
    expect(scheduler.pressure(task)).toBe('soon')
  })

  it('is charged for its time, and resumes before later tasks of its owner', () => {
    const { tasks, pause, next, done, put, task } = running('a1', 'b1')
    put(task('c1'))
    put(task('a2', { place: 1 }))
    pause(tasks[0], 100)
    const c1 = next()
    expect(nameOf(c1)).toBe('c1')
    if (c1) done(c1, 1)
    expect(nameOf(next())).toBe('a1')
  })
})
