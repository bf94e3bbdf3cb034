import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Installation, makeInstallation } from '../bench/bed/installation.js'
import { startMongo } from '../bench/bed/mongo.js'
import type { Fault } from './fault.js'
import { faults as allFaults } from './faults/index.js'
import { type Random, seeded } from './random.js'
import { type Outcome, runCampaign } from './run.js'
import { mountSmallDisk } from './small-disk.js'
import { openStage } from './stage.js'

export type ChaosOptions = {
  readonly store: 'sqlite' | 'mongodb'
  readonly seed: number
  readonly runs: number
  readonly recipients: number
  /** Only that run of the seed, as it would be among the others. */
  readonly run?: number | undefined
  /** Only faults of these names. */
  readonly only?: readonly string[] | undefined
  /** Hears of every run when it is over. */
  readonly said: (line: string) => void
}

export type Run = Outcome & { readonly run: number; readonly faults: readonly string[] }

/** Beside the data: the log of the database, and what the runs add to it. */
const roomMegabytes = 200

/** A data directory that a run may do anything to. */
type Ground = {
  readonly installation: Installation
  readonly dataDir?: string
  readonly clear: () => void
}

/** Each fault has its turn as the first; every other run has a second one. */
const faultsOf = (run: number, possible: readonly Fault[], random: Random): readonly Fault[] => {
  const first = possible[run % possible.length]
  const second = random.next() < 0.5 ? possible[random.between(0, possible.length - 1)] : undefined
  return [first, second].flatMap((one) => one ?? [])
}

/** On SQLite each run has a copy of the same directory, on a disk of its own where that may be mounted. */
const sqliteGrounds = async (recipients: number) => {
  const installation = await makeInstallation({ contacts: recipients })
  return {
    take: async (): Promise<Ground> => {
      const disk = mountSmallDisk(roomMegabytes)
      const directory = disk?.directory ?? mkdtempSync(join(tmpdir(), 'posthorn-chaos-'))
      return {
        installation,
        dataDir: join(directory, 'data'),
        clear: disk?.unmount ?? (() => rmSync(directory, { recursive: true, force: true })),
      }
    },
    close: async () => installation.remove(),
  }
}

/** On MongoDB each run has a database of its own. */
const mongoGrounds = async (recipients: number) => {
  const mongo = await startMongo()
  return {
    take: async (name: string): Promise<Ground> => {
      const installation = await makeInstallation({ contacts: recipients, store: mongo.database(name) })
      return { installation, clear: installation.remove }
    },
    close: () => mongo.stop(),
  }
}

const failed = (error: unknown): Outcome => ({
  inDoubt: 0,
  twice: 0,
  lost: 0,
  acknowledged: 0,
  broken: [error instanceof Error ? error.message : String(error)],
})

const line = ({ run, faults, inDoubt, twice, lost, acknowledged, broken }: Run): string =>
  [
    `${broken.length === 0 ? 'held ' : 'BROKE'} run ${run}: ${faults.join(', ')}; lost ${lost}, twice ${twice} of ${inDoubt} in doubt, ${acknowledged} acknowledged`,
    ...broken.map((one) => `        ${one}`),
  ].join('\n')

/** Runs campaigns through what may happen to a server, at moments that the seed decides, and says what held. */
export const chaos = async (options: ChaosOptions): Promise<readonly Run[]> => {
  const { store, seed, runs, recipients, only, said } = options
  const possible = allFaults
    .filter(({ name }) => !only || only.includes(name))
    .filter((fault) => !fault.impossible?.({ store }))
  const grounds = await (store === 'sqlite' ? sqliteGrounds(recipients) : mongoGrounds(recipients))
  const results: Run[] = []
  try {
    for (let run = options.run ?? 0; run < (options.run === undefined ? runs : options.run + 1); run += 1) {
      const random = seeded(seed * 1_000 + run)
      const faults = faultsOf(run, possible, random)
      const ground = await grounds.take(`chaos_${seed}_${run}`)
      const stage = await openStage({ ...ground, random })
      let outcome: Outcome
      try {
        await stage.start()
        outcome = await runCampaign(stage, faults)
      } catch (error) {
        outcome = failed(error)
      } finally {
        await stage.close()
        ground.clear()
      }
      const result = { ...outcome, run, faults: faults.map(({ name }) => name) }
      results.push(result)
      said(line(result))
    }
  } finally {
    await grounds.close()
  }
  return results
}
