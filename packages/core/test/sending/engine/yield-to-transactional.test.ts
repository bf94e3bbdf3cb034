import { fixedClock } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'
import { yieldToTransactional } from '../../../src/sending/engine/unqueued-sends.js'

type World = { since?: number; pressedFor?: number; isStopped?: boolean; passes?: (milliseconds: number) => number }

/** For how many pauses a page waits, and for how long by the clock. */
const waitedFor = async ({ since = 0, pressedFor = 0, isStopped = false, passes = (ms) => ms }: World) => {
  const clock = fixedClock()
  const begun = clock.now().getTime()
  const stop = new AbortController()
  if (isStopped) stop.abort()
  let pauses = 0
  await yieldToTransactional({
    load: { isBehind: () => pauses < pressedFor, takeSentCount: () => since },
    clock: clock.now,
    sleep: async (milliseconds) => {
      pauses += 1
      clock.advance(passes(milliseconds))
    },
    stopping: () => stop.signal,
  })()
  return { pauses, milliseconds: clock.now().getTime() - begun }
}

describe('fan-out of a page', () => {
  it('does not wait without single mails', async () => {
    expect(await waitedFor({})).toEqual({ pauses: 0, milliseconds: 0 })
  })

  it('waits 0.8 ms per single mail since the last page, up to a second', async () => {
    expect(await waitedFor({ since: 100 })).toEqual({ pauses: 4, milliseconds: 80 })
    expect(await waitedFor({ since: 100_000 })).toEqual({ pauses: 50, milliseconds: 1000 })
  })

  it('waits while more single mails are queued than a round takes, up to a second', async () => {
    expect((await waitedFor({ pressedFor: 3 })).pauses).toBe(3)
    expect((await waitedFor({ pressedFor: 10_000 })).milliseconds).toBe(1000)
  })

  it('waits no longer if pauses take longer', async () => {
    expect(await waitedFor({ since: 100_000, passes: () => 250 })).toEqual({ pauses: 4, milliseconds: 1000 })
  })

  it('does not wait for a clock that was set back', async () => {
    expect((await waitedFor({ since: 100_000, passes: () => -86_400_000 })).pauses).toBe(50)
  })

  it('does not wait once the worker stops', async () => {
    expect((await waitedFor({ since: 100_000, isStopped: true })).pauses).toBe(0)
  })
})
