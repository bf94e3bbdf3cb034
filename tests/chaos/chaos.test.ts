import { describe, expect, it } from 'vitest'
import { chaos } from './chaos.js'
import { powerLoss, powerLossImpossible } from './power/power-loss.js'

const said = () => undefined
/** By which a kill -9 comes first, and throttling after it. */
const seed = 4

describe('a campaign', () => {
  it('reaches everybody, however the server and the relay fail in the middle', async () => {
    const faults = ['kill -9', '20 % throttling']
    const runs = await chaos({ store: 'sqlite', seed, runs: 1, recipients: 300, only: faults, said })
    expect(runs).toMatchObject([{ faults }])
    expect(runs.flatMap(({ run, broken }) => broken.map((line) => `run ${run}: ${line}`))).toEqual([])
  }, 300_000)

  const reason = powerLossImpossible()
  it.skipIf(reason)(
    `loses nothing that was acknowledged when the power fails${reason ? ` (skipped: ${reason})` : ''}`,
    async () => {
      const cuts = await powerLoss({ seed, recipients: 300, cuts: 1, said })
      expect(cuts.flatMap(({ cut, broken }) => broken.map((line) => `at ${cut}: ${line}`))).toEqual([])
      expect(cuts).toHaveLength(1)
    },
    120_000,
  )
})
