import { outageLog } from '@posthorn/core/ports/runtime'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import { recordingLog } from '@posthorn/testkit'
import { describe, expect, it } from 'vitest'

const away = () => new StoreUnavailable(new Error('connection 1 interrupted'))

/** A store that is away until it is told to answer, and a log of what happens to it. */
const start = () => {
  const { log: kept, lines } = recordingLog()
  let answers = false
  let wake = () => {}
  const sleep = () =>
    new Promise<void>((resolve) => {
      wake = resolve
    })
  const outages = outageLog(kept, sleep)
  outages.watch(async () => answers)
  const passes = async () => {
    wake()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    ...outages,
    passes,
    lines: () => lines.map(({ message }) => message),
    answers: (does: boolean) => {
      answers = does
    },
  }
}

describe('the log of a store outage', () => {
  it('has one line for its start and end, without the failures between', async () => {
    const { log, lines, passes, answers } = start()
    for (let n = 0; n < 50; n += 1) log('error', 'Sending: the bulk lane failed', { error: away() })
    await passes()
    log('error', 'A job failed', { error: new Error('Not now', { cause: away() }) })
    expect(lines()).toEqual([expect.stringMatching(/^The database does not answer\./)])
    answers(true)
    await passes()
    log('error', 'A late failure', { error: away() })
    expect(lines().slice(1)).toEqual(['The database answers again'])
    await passes()
    log('error', 'The next outage', { error: away() })
    expect(lines()).toHaveLength(3)
  })

  it('keeps all other lines', () => {
    const { log, lines } = start()
    log('error', 'The lane failed', { error: away() })
    log('error', 'A job failed', { error: new TypeError('undefined is not a function') })
    log('info', 'Something else')
    expect(lines().slice(1)).toEqual(['A job failed', 'Something else'])
  })
})
