import { dirname, join } from 'node:path'
import { agendaJobs, hitJournal, localFiles, nodeSecrets, sandboxProcesses, systemSleep } from '@posthorn/adapters-node'
import {
  type Core,
  type CorePorts,
  type CoreSettings,
  createCore,
  type Log,
  type OwnAccountAccess,
  serverMailer,
} from '@posthorn/core'
import { accountLookup, type Files, outageLog } from '@posthorn/core/ports/runtime'
import { type StorePorts, storePortsOf } from '@posthorn/core/ports/storage'
import { type Mailer, ownAccountLookup } from '@posthorn/core/ports/transport'
import type { HttpAppOptions } from '@posthorn/http-express'
import type { AgendaBackend } from 'agenda'
import type { Express } from 'express'
import { nodePorts } from './node-ports.js'

export type OpenStore = StorePorts & {
  readonly jobBackend: AgendaBackend
  /** Attachments and images, if the store keeps them. */
  readonly files?: Files
  /** Path of a file store. The directories `files` and `hits` are created beside it. */
  readonly file?: string
  readonly close: () => Promise<void>
}

export type PosthornOptions = {
  readonly store: OpenStore
  readonly mailer: Mailer
  /** The mailer of a project's own account. Called often: cache the mailer, and close it yourself. */
  readonly ownAccountMailer?: (access: OwnAccountAccess) => Mailer | Promise<Mailer>
  /** Without a trailing slash: `https://example.com/mail`. */
  readonly publicUrl: string
  /** Signs links and tokens; at least 32 characters. The first signs, all are accepted. */
  readonly secret: string | readonly [string, ...string[]]
  /** Default: warnings and errors go to the console, because most come from work that no caller awaits; `() => {}` discards all. */
  readonly log?: Log
  /** Attachments and images; overrides the files of the store. */
  readonly files?: Files
  /** Whether this process sends campaigns; default: true. */
  readonly worker?: boolean
  readonly settings?: Partial<Omit<CoreSettings, 'publicUrl'>>
  readonly ports?: Partial<CorePorts>
  /** Limits, proxies and the operator's access of the Express application. */
  readonly http?: Partial<Omit<HttpAppOptions, 'core' | 'publicUrl' | 'log'>>
}

export type Posthorn = {
  /** The use cases, for calls from your program. */
  readonly core: Core
  /** REST API, reference and recipients' pages: mount it at `publicUrl`. */
  readonly app: Express
  /** Records deliveries in flight, then closes mailer and store. */
  readonly close: () => Promise<void>
}

const shortest = 32

const secretsOf = (secret: PosthornOptions['secret']): readonly string[] => {
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (secrets.length > 0 && secrets.every(({ length }) => length >= shortest)) return secrets
  throw new Error(`secret: expected at least ${shortest} characters. Generate one with “openssl rand -base64 32”.`)
}

/** @throws Error if links cannot begin with it */
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
  throw new Error('files: required, because the store does not keep attachments and images.')
}

const consoleLog: Log = (level, message, fields = {}) => {
  // biome-ignore lint/suspicious/noConsole: the application gave no log, and nobody else would learn of it.
  if (level === 'warn' || level === 'error') console[level](`Posthorn: ${message}`, fields)
}

/** Starts sending unless `worker` is false. @throws Error for a short secret or an invalid public URL */
export const openPosthorn = async (options: PosthornOptions): Promise<Posthorn> => {
  const {
    store,
    mailer,
    ownAccountMailer,
    secret,
    log: given = consoleLog,
    worker = true,
    settings,
    ports,
    http,
  } = options
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
  const processes = sandboxProcesses({ accountOf: accountLookup(store.repositories.projects) })
  const accessTo = ownAccountLookup({ repositories: store.repositories, secrets })
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
    // Watches only the machine's clock for jumps; an embedder's may move freely.
    ...(ports?.clock && { uptime: undefined }),
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
