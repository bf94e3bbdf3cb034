import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fairQueue } from '../../src/tenant-processes/fair-queue.js'

const limits = { atOnce: 1, mostWaiting: 50, mostBytes: 1_000, mostBytesOfAll: 1_500 }

/** A queue whose jobs are run one after the other, each for as long as it says. */
const queueOf = (changes: Partial<typeof limits> = {}) => {
  let now = 0
  const queue = fairQueue<{ projectId: string; name: string; bytes: number; time: number }>(
    { ...limits, ...changes },
    () => now,
  )
  return {
    ...queue,
    job: (projectId: string, name: string, time = 10, bytes = 1) => ({ projectId, name, bytes, time }),
    pass: (time: number) => {
      now += time
    },
    runAll: (): readonly string[] => {
      const order: string[] = []
      for (let job = queue.next(); job; job = queue.next()) {
        order.push(job.name)
        now += job.time
        queue.done(job, job.time)
      }
      return order
    },
  }
}

describe('a fair queue', () => {
  it('serves projects in turn, and each in its order', () => {
    const { add, job, runAll } = queueOf()
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) add(job(name[0] as string, name))
    expect(runAll()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  it('lets fifty long jobs of one project keep another waiting for one of them at the most', () => {
    const { add, job, runAll, next, done } = queueOf()
    for (let n = 0; n < 50; n += 1) add(job('hostile', `hostile${n}`, 5_000))
    const first = next()
    if (first) done(first, 5_000)
    for (let n = 0; n < 10; n += 1) add(job('other', `other${n}`))
    expect(runAll().slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => `other${n}`))
  })

  it('forgives time that was used long ago', () => {
    const { add, job, runAll, pass } = queueOf()
    add(job('a', 'a0', 5_000))
    runAll()
    pass(60 * 60_000)
    for (const name of ['b1', 'a1', 'b2']) add(job(name[0] as string, name))
    expect(runAll()).toEqual(['b1', 'a1', 'b2'])
  })

  it('never has more of a project under way than it may', () => {
    const { add, next, done, job } = queueOf({ atOnce: 2 })
    for (const name of ['a1', 'a2', 'a3', 'b1']) add(job(name[0] as string, name))
    const [one, two, three, four] = [next(), next(), next(), next()]
    expect([one?.name, two?.name, three?.name, four]).toEqual(['a1', 'b1', 'a2', undefined])
    if (one) done(one, 1)
    expect(next()?.name).toBe('a3')
  })

  it('takes so many jobs of a project, so many bytes of it and of all, and again when some have begun', () => {
    const { add, next, job, remove } = queueOf({ mostWaiting: 2 })
    const large = job('a', 'a1', 10, 900)
    expect([add(large), add(job('a', 'a2', 10, 200)), add(job('a', 'a3')), add(job('a', 'a4'))]).toEqual([
      true,
      false,
      true,
      false,
    ])
    expect([add(job('b', 'b1', 10, 600)), add(job('b', 'b2', 10, 500))]).toEqual([false, true])
    expect([remove(large), remove(large)]).toEqual([true, false])
    expect(add(job('b', 'b1', 10, 500))).toBe(true)
    expect(next()?.name).toBe('a3')
  })

  it('loses no job, whatever comes and goes', () => {
    const steps = fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c'), fc.constant('run')), { maxLength: 60 })
    fc.assert(
      fc.property(steps, (all) => {
        const { add, next, done, job, runAll } = queueOf({ atOnce: 1 })
        let expected = 0
        let ran = 0
        for (const step of all) {
          if (step !== 'run') expected += add(job(step, step)) ? 1 : 0
          else {
            const one = next()
            if (one) {
              ran += 1
              done(one, one.time)
            }
          }
        }
        expect(ran + runAll().length).toBe(expected)
      }),
    )
  })
})
