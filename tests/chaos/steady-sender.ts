import { setTimeout as pause } from 'node:timers/promises'
import type { Stage } from './stage.js'

/** One transactional mail every so many milliseconds, whatever becomes of the server meanwhile. */
const interval = 40
const addressOf = (n: number) => `receipt${n}@example.com`

/** Sends transactional mails until it is stopped, and answers then whose sends were acknowledged. */
export const startSteadySender = async (stage: Stage) => {
  const transactionalId = await stage.api().made('/transactional-emails', {
    name: 'Receipt',
    subject: 'Receipt {{n}}',
    type: 'text',
    document: 'Receipt {{n}}',
  })
  const acknowledged: string[] = []
  let stopped = false
  const send = async (n: number) => {
    const body = { transactionalId, email: addressOf(n), data: { n } }
    const { status } = await stage.api().call('POST', '/send-transactional', body)
    if (status < 300) acknowledged.push(addressOf(n))
  }
  const sending = (async () => {
    for (let n = 0; !stopped; n += 1) {
      // Without an answer nothing was promised.
      await send(n).catch(() => undefined)
      await pause(interval)
    }
  })()
  return {
    stop: async (): Promise<readonly string[]> => {
      stopped = true
      await sending
      return acknowledged
    },
  }
}
