import { createHash } from 'node:crypto'
import type { Log } from '@posthorn/core'
import type { CloudCredentials, Mail, Mailer, MailOutcome } from '@posthorn/core/ports/transport'
import { type SesMailerOptions, sesMailer } from '../mailer/ses-mailer.js'
import { type OwnAccountsOptions, ownAccountPoolLimits, roleAssumer, sessionCredentialsOf } from './credentials.js'
import { cachedOwnEventsCheck, ownEventsCheck } from './own-events.js'

export type OwnSesAccount = {
  /** Project id. A new configuration replaces the earlier one. */
  readonly owner: string
  /** In clear text. */
  readonly credentials: CloudCredentials
  readonly region: string
  /** Mails per second that the owner allows. */
  readonly limit?: number | undefined
}

export type OwnAccountMailersOptions = OwnAccountsOptions & {
  /** In ms; default: ten minutes. */
  readonly idleTime?: number
  readonly mostIdle?: number
  readonly log?: Log
  readonly now?: () => number
}

type Client = {
  readonly mailer: Mailer
  readonly events: ReturnType<typeof cachedOwnEventsCheck> | undefined
  readonly owners: Set<string>
  busy: number
  usedAt: number
  evicted: boolean
}

/** Equal credentials share a client. With events, each project has its own configuration set. */
const keyOf = ({ owner, credentials, region }: OwnSesAccount, eventsUrl: string | undefined): string => {
  const entered =
    'roleArn' in credentials
      ? ['role', credentials.roleArn, credentials.externalId]
      : ['key', credentials.accessKeyId, credentials.secretAccessKey]
  return createHash('sha256')
    .update(JSON.stringify([entered, region, eventsUrl && owner]))
    .digest('base64')
}

/**
 * One per account and region, with its own quota and connections. Closed when idle, or after a change of configuration once its mails are
 * done; the next use opens another.
 */
export const ownAccountMailers = ({
  idleTime = 10 * 60_000,
  mostIdle = 200,
  log = () => {},
  now = Date.now,
  ...options
}: OwnAccountMailersOptions = {}) => {
  const roles = roleAssumer(options)
  const clients = new Map<string, Client>()
  const keys = new Map<string, string>()
  const limits = { ...ownAccountPoolLimits, ...options.limits }
  let sweeping: NodeJS.Timeout | undefined

  const closeWhenIdle = (client: Client): void => {
    if (!client.evicted || client.busy > 0) return
    client.events?.close()
    void client.mailer.close()
  }
  const evict = (key: string): void => {
    const client = clients.get(key)
    if (!client) return
    clients.delete(key)
    client.evicted = true
    closeWhenIdle(client)
  }

  const sweep = (): void => {
    const idle = [...clients].filter(([, { busy }]) => busy === 0).toSorted(([, a], [, b]) => b.usedAt - a.usedAt)
    idle.forEach(([key, { usedAt }], index) => {
      if (index >= mostIdle || now() - usedAt >= idleTime) evict(key)
    })
    if (clients.size > 0) return
    clearInterval(sweeping)
    sweeping = undefined
  }

  const opened = (key: string, { owner: projectId, credentials: entered, region }: OwnSesAccount): Client => {
    const known = clients.get(key)
    if (known) return known
    const credentials = sessionCredentialsOf(entered, region, roles)
    const { aws, sns, eventsUrl } = options
    const looking =
      eventsUrl === undefined ? undefined : ownEventsCheck({ projectId, region, eventsUrl, credentials, aws, sns })
    const events = looking && cachedOwnEventsCheck(looking, now)
    const mailerOptions: SesMailerOptions = {
      region,
      configurationSet: async () => ((await events?.current()) ? looking?.name : undefined),
      aws: { ...aws, credentials },
      limits,
      isOwn: true,
      log,
      now,
    }
    const client: Client = {
      mailer: sesMailer(mailerOptions),
      events,
      owners: new Set(),
      busy: 0,
      usedAt: now(),
      evicted: false,
    }
    clients.set(key, client)
    sweeping ??= setInterval(sweep, Math.max(10, idleTime / 2)).unref()
    return client
  }

  /** Drops the owner's earlier client, unless others use it. */
  const noteOwner = (key: string, { owner, region }: OwnSesAccount): void => {
    const place = `${region} ${owner}`
    const before = keys.get(place)
    if (before === key) return
    keys.set(place, key)
    const old = before === undefined ? undefined : clients.get(before)
    old?.owners.delete(owner)
    if (before !== undefined && old?.owners.size === 0) evict(before)
  }

  const using = async <T>(key: string, account: OwnSesAccount, use: (mailer: Mailer, client: Client) => Promise<T>) => {
    const client = opened(key, account)
    client.owners.add(account.owner)
    client.busy += 1
    try {
      return await use(client.mailer, client)
    } finally {
      client.busy -= 1
      client.usedAt = now()
      closeWhenIdle(client)
    }
  }

  const sent = async (mail: Mail, mailer: Mailer, { events }: Client): Promise<MailOutcome> => {
    const outcome = await mailer.send(mail)
    if (outcome.kind === 'deferred' && outcome.error.name === 'NotFoundException') events?.doubt()
    return outcome
  }

  return {
    /** Opens a client on first use. Closing it closes nothing that others use. */
    of: (account: OwnSesAccount): Mailer => {
      const key = keyOf(account, options.eventsUrl)
      noteOwner(key, account)
      /** First refreshes whether sends are reported. */
      const within = async (mailer: Mailer, { events }: Client): Promise<number | undefined> => {
        const [rate] = await Promise.all([mailer.ratePerSecond(), events?.current()])
        return account.limit === undefined ? rate : Math.min(account.limit, rate ?? account.limit)
      }
      return {
        send: (mail: Mail): Promise<MailOutcome> => using(key, account, (mailer, client) => sent(mail, mailer, client)),
        ratePerSecond: () => using(key, account, within),
        problem: () => using(key, account, async (mailer) => mailer.problem?.()),
        waitsFor: () => using(key, account, async (mailer) => mailer.waitsFor?.()),
        get reportsSends() {
          return clients.get(key)?.events?.last() ?? false
        },
        concurrency: limits.connections,
        check: () => using(key, account, (mailer) => mailer.check()),
        close: async () => {},
      }
    },
    open: (): number => clients.size,
    close: async (): Promise<void> => {
      clearInterval(sweeping)
      for (const key of [...clients.keys()]) evict(key)
      roles.close()
    },
  }
}
export type OwnAccountMailers = ReturnType<typeof ownAccountMailers>
