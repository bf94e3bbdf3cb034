import { setTimeout as pause } from 'node:timers/promises'
import type { Fault } from '../fault.js'

/** The relay breaks all connections and takes none for a while. */
export const outage: Fault = {
  name: 'mailer outage',
  strike: async (stage) => {
    const unsure = await stage.sink.cutOff()
    await pause(stage.random.between(200, 4_000))
    await stage.sink.open()
    return unsure
  },
}
