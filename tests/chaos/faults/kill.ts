import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../fault.js'

/** kill -9, and another server a moment later. */
export const kill: Fault = {
  name: 'kill -9',
  strike: async (stage) => {
    await stage.server().stop('SIGKILL')
    await stage.quiet()
    const { sent } = await stage.counts()
    const campaignMails = [...(await stage.sink.taken()).keys()].filter((address) => address.startsWith('reader'))
    const inDoubt = campaignMails.length - sent
    await pause(stage.random.between(0, 1_000))
    await stage.start()
    return inDoubt
  },
}
