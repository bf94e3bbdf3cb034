import type { Fault } from '../fault.js'

/** SIGTERM: what is under way is finished and recorded, so that nothing is in doubt. */
export const terminate: Fault = {
  name: 'SIGTERM',
  strike: async (stage) => {
    const code = await stage.server().stop('SIGTERM')
    if (code !== 0) throw new Error(`After SIGTERM the server ended with ${code}`)
    await stage.start()
    return 0
  },
}
