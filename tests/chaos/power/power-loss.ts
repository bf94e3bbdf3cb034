import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { startCampaign } from '../../bench/bed/campaign.js'
import { makeInstallation } from '../../bench/bed/installation.js'
import { type Random, seeded } from '../random.js'
import { openStage, type Stage } from '../stage.js'
import { losePower, readOperations } from './disk.js'

export type PowerLossOptions = {
  readonly seed: number
  readonly recipients: number
  /** At how many moments the power is lost. */
  readonly cuts: number
  readonly said: (line: string) => void
}

export type Cut = {
  readonly cut: number
  readonly acknowledged: number
  readonly sent: number
  readonly broken: readonly string[]
}

/** Why it cannot be tried here; undefined where it can. */
export const powerLossImpossible = (): string | undefined => {
  if (process.platform !== 'linux') return 'the shim is for Linux'
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'there is no C compiler (cc)'
  }
}

const compileShim = (directory: string): string => {
  const shim = join(directory, 'shim.so')
  const source = join(import.meta.dirname, 'shim.c')
  execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', shim, source, '-ldl', '-lpthread'])
  return shim
}

/** A contact that the server said it has, and how long the log was when it had said so. */
type Acknowledged = { readonly email: string; readonly at: number }

/** Creates contacts, four at a time, until it is stopped. */
const createContacts = (stage: Stage, log: string) => {
  const acknowledged: Acknowledged[] = []
  let stopped = false
  let next = 0
  const client = async () => {
    while (!stopped) {
      next += 1
      const email = `new${next}@example.com`
      const { status } = await stage
        .api()
        .call('POST', '/contacts', { email })
        .catch(() => ({ status: 0 }))
      if (status === 201) acknowledged.push({ email, at: statSync(log).size })
    }
  }
  const clients = [client(), client(), client(), client()]
  return async (): Promise<readonly Acknowledged[]> => {
    stopped = true
    await Promise.all(clients)
    return acknowledged
  }
}

const integrityOf = (file: string): string => {
  const database = new DatabaseSync(file)
  try {
    return String(Object.values(database.prepare('PRAGMA integrity_check').get() ?? {})[0])
  } finally {
    database.close()
  }
}

const missing = async (stage: Stage, acknowledged: readonly Acknowledged[]): Promise<readonly string[]> => {
  const gone: string[] = []
  for (const { email } of acknowledged) {
    const { status } = await stage.api().call('GET', `/contacts/${encodeURIComponent(email)}`)
    if (status !== 200) gone.push(email)
  }
  return gone
}

/** Waits for the end of the campaign, and skips what only waits. */
const campaignOver = async (stage: Stage): Promise<boolean> => {
  for (let tries = 0; tries < 40; tries += 1) {
    const { mails } = await stage.sink.report()
    await pause(1_000)
    const { status } = await stage.api().get(`/campaigns/${stage.campaign()}`)
    if ((await stage.sink.report()).mails !== mails) continue
    const { queued, sending, uncertain } = await stage.counts()
    if (status === 'sent' && queued + sending + uncertain === 0) return true
    stage.moveClock(15_000 * 2 ** Math.min(6, tries))
  }
  return false
}

/**
 * Has a server send and create contacts while all that it writes and syncs is written down, and looks at what a loss of power would
 * have left at random moments: the file is whole, every contact that was acknowledged by then is there, whoever counts as sent was
 * sent to, and the next server serves all others.
 */
export const powerLoss = async ({ seed, recipients, cuts, said }: PowerLossOptions): Promise<readonly Cut[]> => {
  const random: Random = seeded(seed)
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-power-'))
  const installation = await makeInstallation({ contacts: recipients })
  const results: Cut[] = []
  try {
    const log = join(directory, 'log')
    const lived = join(directory, 'lived')
    const first = await openStage({
      installation,
      random,
      dataDir: lived,
      environment: { LD_PRELOAD: compileShim(directory), POWER_LOG: log, POWER_DIRECTORY: lived },
    })
    await first.start()
    const plannedFrom = first.api()
    first.plan(await startCampaign(plannedFrom, installation.listId))
    const planned = statSync(log).size
    const stop = createContacts(first, log)
    await first.taken(Math.floor(recipients * 0.8))
    const acknowledged = await stop()
    await first.server().stop('SIGKILL')
    await first.quiet()
    const taken = await first.sink.taken()
    await first.close()
    const bytes = readFileSync(log)
    const operations = readOperations(bytes)

    for (let n = 0; n < cuts; n += 1) {
      const cut = random.between(planned, bytes.length)
      const dataDir = join(directory, `cut-${n}`)
      const second = await openStage({ installation, random, dataDir })
      const broken: string[] = []
      let sent = 0
      const known = acknowledged.filter(({ at }) => at <= cut)
      try {
        losePower(dataDir, operations, cut, random)
        const integrity = integrityOf(join(dataDir, 'posthorn.db'))
        if (integrity !== 'ok') broken.push(`integrity_check says: ${integrity.slice(0, 300)}`)
        second.plan(first.campaign())
        sent = (await second.counts()).sent
        if (sent > taken.size) broken.push(`${sent} count as sent, and ${taken.size} mails came`)
        await second.start()
        const gone = await missing(second, known)
        if (gone.length > 0) broken.push(`${gone.length} acknowledged contacts are gone, such as ${gone[0]}`)
        if (!(await campaignOver(second)))
          broken.push(`the campaign is stuck: ${JSON.stringify(await second.counts())}`)
        const again = await second.sink.taken()
        const nobody = Array.from({ length: recipients }, (_, i) => `reader${i}@example.com`).filter(
          (email) => !taken.has(email) && !again.has(email),
        )
        if (nobody.length > 0) broken.push(`${nobody.length} recipients got nothing, such as ${nobody[0]}`)
      } catch (error) {
        broken.push(error instanceof Error ? error.message : String(error))
      } finally {
        await second.close()
        rmSync(dataDir, { recursive: true, force: true })
      }
      results.push({ cut, acknowledged: known.length, sent, broken })
      said(
        [
          `${broken.length === 0 ? 'held ' : 'BROKE'} power lost at byte ${cut} of ${bytes.length}: ${known.length} acknowledged, ${sent} sent`,
          ...broken.map((one) => `        ${one}`),
        ].join('\n'),
      )
    }
  } finally {
    installation.remove()
    rmSync(directory, { recursive: true, force: true })
  }
  return results
}
