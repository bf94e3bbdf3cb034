import { describe, expect, it } from 'vitest'
import { fixedClock } from '../src/index.js'

const start = '2026-01-06T12:00:00.000Z'

/** Seconds since the start. */
const seconds = (time: Date) => (time.getTime() - Date.parse(start)) / 1000

describe('a fixed clock', () => {
  it('stands still until a test moves it', async () => {
    const clock = fixedClock(start)
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(clock.now().toISOString()).toBe(start)
    clock.advance(1500)
    expect(seconds(clock.now())).toBe(1.5)
  })

  it('gives every caller its own date', () => {
    const clock = fixedClock(start)
    clock.now().setFullYear(1999)
    expect(clock.now().toISOString()).toBe(start)
  })

  it('wakes all due sleepers in order when it is advanced', async () => {
    const clock = fixedClock(start)
    const woken: [string, number][] = []
    const sleep = async (name: string, milliseconds: number) => {
      await clock.sleep(milliseconds)
      woken.push([name, seconds(clock.now())])
    }
    const both = Promise.all([sleep('second', 2000), sleep('first', 1000)])
    const third = sleep('third', 9000)
    clock.advance(5000)
    await both
    expect(woken).toEqual([
      ['first', 5],
      ['second', 5],
    ])
    clock.advance(4000)
    await third
  })

  it('wakes each sleeper at its time when time passes', async () => {
    const clock = fixedClock(start)
    const moments: number[] = []
    const loop = async () => {
      for (let n = 0; n < 4; n += 1) {
        await clock.sleep(1000)
        moments.push(seconds(clock.now()))
      }
    }
    const done = loop()
    await clock.pass(3500)
    expect(moments).toEqual([1, 2, 3])
    expect(seconds(clock.now())).toBe(3.5)
    await clock.pass(500)
    await done
    expect(moments).toEqual([1, 2, 3, 4])
  })

  it('interleaves two loops the same way every time', async () => {
    const clock = fixedClock(start)
    const ticks: string[] = []
    const stop = new AbortController()
    const loop = async (name: string, pause: number) => {
      while (!stop.signal.aborted) {
        ticks.push(`${name}${seconds(clock.now())}`)
        await clock.sleep(pause, stop.signal)
      }
    }
    const loops = Promise.all([loop('a', 2000), loop('b', 3000)])
    await clock.pass(6000)
    expect(ticks).toEqual(['a0', 'b0', 'a2', 'b3', 'a4', 'b6', 'a6'])
    stop.abort()
    await loops
  })

  it('ends a sleep that is aborted before or during it', async () => {
    const clock = fixedClock(start)
    const waking = new AbortController()
    const slept = clock.sleep(1000, waking.signal)
    waking.abort()
    await slept
    await clock.sleep(1000, waking.signal)
    await clock.sleep(0)
    expect(clock.now().toISOString()).toBe(start)
  })

  it('passes time until a condition holds, and fails if it never does', async () => {
    const clock = fixedClock(start)
    let rung = 0
    for (const minute of [1, 2, 3]) clock.ring(new Date(Date.parse(start) + minute * 60_000), () => (rung += 1))
    await clock.passUntil(() => rung === 2)
    expect(seconds(clock.now())).toBe(120)
    await expect(clock.passUntil(() => rung === 9, 600_000)).rejects.toThrow('within 600000 ms')
  })

  it('forgets a cancelled alarm', async () => {
    const clock = fixedClock(start)
    let rung = 0
    const takeBack = clock.ring(new Date(Date.parse(start) + 1000), () => (rung += 1))
    takeBack()
    await clock.pass(2000)
    expect(rung).toBe(0)
  })
})
