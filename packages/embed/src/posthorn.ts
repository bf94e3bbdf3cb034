import { dirname, join } from 'node:path'
import { agendaJobs, hitJournal, localFiles, nodeSecrets, systemSleep, tenantProcesses } from '@posthorn/adapters-node'
import {
  type Core,
  type CorePorts,
  type CoreSettings,
  createCore,
  type Log,
  type OwnAccountAccess,
  serverMailer,
} from '@posthorn/core'
import {
  accountLookup,
  type Files,
  type Mailer,
  outageLog,
  ownAccounts,
  type StorePorts,
  storePortsOf,
} from '@posthorn/core/ports'
import type { HttpAppOptions } from '@posthorn/http-express'
import type { AgendaBackend } from 'agenda'
import type { Express } from 'express'
import { nodePorts } from './node-ports.js'

/** A store as its adapter opens it: `openSqliteStore`, `openMongoStore`. */
export type OpenStore = StorePorts & {
  /** What Agenda keeps its jobs in. */
  readonly jobBackend: AgendaBackend
  /** Attachments and images, where the store keeps them itself. */
  readonly files?: Files
  /** Where the store lies, if it is a file: files that it does not keep are in the folder `files` beside it, opens and clicks in `hits`. */
  readonly file?: string
  readonly close: () => Promise<void>
}

export type PosthornOptions = {
  readonly store: OpenStore
  readonly mailer: Mailer
  /**
   * The mailer of a project's own account, as its credentials are now: asked for often, so it is to be kept, and closed by whoever made
   * it. Without this, such projects cannot send.
   */
  readonly ownAccountMailer?: (access: OwnAccountAccess) => Mailer | Promise<Mailer>
  /** Where recipients and browsers reach the application, without a slash at the end: `https://example.com/mail`. */
  readonly publicUrl: string
  /** Signs links and tokens. Several: the first signs, all are accepted. At least 32 characters each that nobody can guess. */
  readonly secret: string | readonly [string, ...string[]]
  /** Hears what happens. Nobody does unless given. */
  readonly log?: Log
  /** Attachments and images, where they are to be elsewhere than the store has them. */
  readonly files?: Files
  /** Whether campaigns are sent by this process; they are unless given. Another one may be the worker. */
  readonly worker?: boolean
  readonly settings?: Partial<Omit<CoreSettings, 'publicUrl'>>
  /** Ports that are to be others than Node's: a clock, a feed reader, whose domains count as verified. */
  readonly ports?: Partial<CorePorts>
  /** Limits, proxies and the operator's access of the Express application. */
  readonly http?: Partial<Omit<HttpAppOptions, 'core' | 'publicUrl' | 'log'>>
}

export type Posthorn = {
  /** The use cases, for the program itself. */
  readonly core: Core
  /** The REST API, its reference and the pages of recipients: to be mounted where `publicUrl` leads. */
  readonly app: Express
  /**
   * Finishes and records the mails that are being sent, then closes mailer and store. Nothing of Posthorn keeps the process alive
   * afterwards.
   */
  readonly close: () => Promise<void>
}

const shortest = 32

const secretsOf = (secret: PosthornOptions['secret']): readonly string[] => {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length > 0 && secrets.every(({ length }) => length >= shortest)) return secrets
  throw new Error(
    `secret: expected at least ${shortest} characters. “openssl rand -base64 32” makes one that nobody guesses.`,
  )
}

/** @throws Error for one that links cannot begin with */
const publicUrlOf = (text: string): string => {
  const { protocol, href } = URL.canParse(text) ? new URL(text) : { protocol: '', href: '' }
  if (/^https?:$/.test(protocol) && !/[?#@]/.test(href)) return text.replace(/\/+$/, '')
  throw new Error(
    `publicUrl: ${JSON.stringify(text)} is not an http or https URL without user, query and fragment, such as https://example.com/mail.`,
  )
}

const filesOf = ({ files, file }: OpenStore): Files => {
  if (files) return files
  if (file !== undefined) return localFiles(join(dirname(file), 'files'))
  throw new Error('files: expected where attachments and images go, because the store does not keep them.')
}

const silent: Log = () => {}

/**
 * Posthorn inside a Node application: store, mailer, public URL and secret are all it must be told. Campaigns are sent from now on,
 * unless `worker` is false.
 * @throws Error for a secret that can be guessed, or a public URL that is none
 */
export const openPosthorn = async (options: PosthornOptions): Promise<Posthorn> => {
  const { store, mailer, ownAccountMailer, secret, log: given = silent, worker = true, settings, ports, http } = options
  const publicUrl = publicUrlOf(options.publicUrl)
  const { jobBackend, storeClock, close: closeStore } = store
  const outages = outageLog(given, systemSleep)
  const { log } = outages
  if (storeClock)
    outages.watch(() =>
      storeClock.now().then(
        () => true,
        () => false,
      ),
    )
  const secrets = nodeSecrets(secretsOf(secret))
  const files = options.files ?? filesOf(store)
  const processes = tenantProcesses({ accountOf: accountLookup(store.repositories.projects) })
  const accessTo = ownAccounts({ repositories: store.repositories, secrets })
  const core = createCore({
    ...nodePorts({
      ...storePortsOf(store),
      files,
      jobs: agendaJobs({ backend: jobBackend, log }),
      mailers: serverMailer(mailer, ownAccountMailer && (async (channel) => ownAccountMailer(await accessTo(channel)))),
      secrets,
      log,
      processes,
      settings: { ...settings, publicUrl },
    }),
    ...(store.file !== undefined && { hitJournal: hitJournal({ directory: join(dirname(store.file), 'hits') }) }),
    ...ports,
  })
  const { httpApp } = await import('@posthorn/http-express')
  const app = httpApp({ ...http, core, publicUrl, log })
  core.clocks.start()
  if (worker) await core.worker.start()
  core.tracking.start()

  const end = async () => {
    await Promise.all([core.worker.stop(), core.tracking.close()])
    await processes.close()
    await mailer.close()
    core.clocks.stop()
    outages.close()
    await closeStore()
  }
  let ended: Promise<void> | undefined
  return {
    core,
    app,
    close: () => {
      ended ??= end()
      return ended
    },
  }
}
