import type { Fault } from '../fault.js'

const minute = 60_000
const jumps = [minute, 60 * minute, 24 * 60 * minute, -minute, -60 * minute] as const

/** The server's clock jumps while mails are under way: its leases are over at once, or reach far ahead. */
export const clockJump: Fault = {
  name: 'clock jump',
  strike: async (stage) => {
    // Between the question and the jump mails leave: those are in doubt as well.
    const { mails: before } = await stage.sink.report()
    const { sending } = await stage.counts()
    stage.moveClock(stage.random.oneOf(jumps))
    const { mails: after } = await stage.sink.report()
    return sending + after - before
  },
}
