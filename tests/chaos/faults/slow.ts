import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../fault.js'

/** The relay takes its time for every answer to a whole mail. */
export const slow: Fault = {
  name: 'slow mailer',
  strike: async (stage) => {
    await stage.sink.behave({ delay: stage.random.between(50, 3_000) })
    await pause(stage.random.between(1_000, 6_000))
    await stage.sink.behave({})
    return 0
  },
}
