import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../fault.js'

/** One mail in five is told to come later, by 4xx replies to its recipient or to the whole of it. */
export const throttling: Fault = {
  name: '20 % throttling',
  strike: async (stage) => {
    await stage.sink.behave({ throttled: 0.2 })
    // By time and not by mails: how many go at once is up to the server.
    await pause(stage.random.between(1_000, 5_000))
    await stage.sink.behave({})
    return 0
  },
}
