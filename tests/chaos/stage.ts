import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { startProcess } from '../bench/bed/calls.js'
import {
  type Api,
  apiOf,
  type Environment,
  type Installation,
  runCommand,
  type ServerProcess,
  startServer,
} from '../bench/bed/installation.js'
import type { Random } from './random.js'
import type { ChaosSinkCalls } from './sink.js'

/** What the ledger says of a campaign. */
export type Counts = Readonly<Record<'sent' | 'failed' | 'queued' | 'sending' | 'uncertain' | 'excluded', number>>

/** Where a run takes place: an installation of its own, its server and its sink. */
export type Stage = {
  readonly random: Random
  readonly recipients: number
  readonly listId: string
  readonly dataDir: string
  readonly sink: {
    readonly behave: (behaviour: { readonly throttled?: number; readonly delay?: number }) => Promise<unknown>
    readonly cutOff: () => Promise<number>
    readonly open: () => Promise<unknown>
    readonly report: () => Promise<ReturnType<ChaosSinkCalls['report']>>
    readonly taken: () => Promise<ReadonlyMap<string, number>>
  }
  readonly server: () => ServerProcess
  readonly start: () => Promise<void>
  /** Calls the server that runs at the moment. */
  readonly api: () => Api
  /** Puts the server's clock ahead by so much more, or back. */
  readonly moveClock: (milliseconds: number) => void
  /** Ends a time in which the clock was behind: what was counted before would lie in the future. */
  readonly setClockRight: () => void
  /** Waits until the sink has taken so many mails, or nothing has come for five seconds. */
  readonly taken: (mails: number) => Promise<void>
  /** Waits until whatever a dead server had written has arrived. */
  readonly quiet: () => Promise<void>
  /** What the ledger says, whether a server runs or not. */
  readonly counts: () => Promise<Counts>
  readonly credits: () => Promise<number>
  /** The campaign that everything is about. */
  readonly campaign: () => string
  readonly plan: (campaignId: string) => void
  readonly close: () => Promise<void>
}

const preload = pathToFileURL(join(import.meta.dirname, 'clock.js')).href

export type StageOptions = {
  readonly installation: Pick<Installation, 'dataDir' | 'environment' | 'projectId' | 'listId' | 'contacts'>
  readonly random: Random
  /** Of another server environment. */
  readonly environment?: Environment
  /** Where the installation’s data directory is copied to; it is used as it is unless given. */
  readonly dataDir?: string
}

export const openStage = async ({ installation, random, environment = {}, dataDir }: StageOptions): Promise<Stage> => {
  const directory = mkdtempSync(join(tmpdir(), 'posthorn-chaos-'))
  const clockFile = join(directory, 'clock')
  if (dataDir !== undefined) cpSync(installation.dataDir, dataDir, { recursive: true })
  const data = dataDir ?? installation.dataDir
  const sink = startProcess<ChaosSinkCalls>(new URL('./sink.ts', import.meta.url))
  const port = await sink.call('open', random.between(1, 1e9))
  const own: Environment = {
    ...installation.environment,
    SMTP_URL: `smtp://127.0.0.1:${port}?pool=10`,
    POSTHORN_MAILER: 'smtp',
    POSTHORN_DATA_DIR: data,
    POSTHORN_LOG_LEVEL: 'warn',
    NODE_OPTIONS: `--import=${preload}`,
    CHAOS_CLOCK: clockFile,
    ...environment,
  }
  let server: ServerProcess | undefined
  let campaign = ''
  let ahead = 0
  let furthest = 0

  const moveClock = (milliseconds: number): void => {
    ahead += milliseconds
    furthest = Math.max(furthest, ahead)
    // Never half a number for whoever reads it meanwhile.
    writeFileSync(`${clockFile}.new`, String(ahead))
    renameSync(`${clockFile}.new`, clockFile)
  }

  const running = (): ServerProcess => {
    if (!server) throw new Error('No server was started')
    return server
  }
  const report = () => sink.call('report')

  const answerOf = async <T>(...args: readonly string[]) => (await runCommand(own, ...args)).answer as T

  return {
    random,
    recipients: installation.contacts,
    listId: installation.listId,
    dataDir: data,
    sink: {
      behave: (behaviour) => sink.call('behave', behaviour),
      cutOff: () => sink.call('cutOff'),
      open: () => sink.call('open', random.between(1, 1e9)),
      report,
      taken: async () => new Map(await sink.call('taken')),
    },
    server: running,
    start: async () => {
      server = await startServer(own)
    },
    api: () => apiOf(running().base, installation.projectId),
    moveClock,
    setClockRight: () => moveClock(furthest - ahead),
    taken: async (mails) => {
      let [before, since] = [-1, performance.now()]
      for (;;) {
        const { mails: now } = await report()
        if (now >= mails) return
        if (now !== before) [before, since] = [now, performance.now()]
        if (performance.now() - since > 5_000) return
        await pause(5)
      }
    },
    quiet: async () => {
      for (let before = -1; ; ) {
        const { mails, connections } = await report()
        if (mails === before && connections === 0) return
        before = mails
        await pause(100)
      }
    },
    counts: async () => (await answerOf<{ readonly deliveries: Counts }>('campaign', 'status', campaign)).deliveries,
    credits: async () => {
      const [account] = await answerOf<readonly { readonly credits: number }[]>('account', 'list')
      return account?.credits ?? 0
    },
    campaign: () => campaign,
    plan: (campaignId) => {
      campaign = campaignId
    },
    close: async () => {
      if (server) await server.stop('SIGKILL')
      await sink.stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
