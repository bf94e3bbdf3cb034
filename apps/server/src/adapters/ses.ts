import { guardedFetch } from '@posthorn/adapters-node'
import type { Core, Counters, Identities, Log, Mailer, Repositories, Tenant } from '@posthorn/core'
import type { ProviderEvents } from '@posthorn/http-express'
import { ownSesAccounts } from './own-ses-accounts.js'

/** What the configuration says of Amazon SES. */
export type SesConfig = {
  readonly region: string
  /** What mails go by whose sender's domain was not added here. */
  readonly configurationSet: string | undefined
  /** Where the events of mails come from; they do not unless given. */
  readonly topicArn: string | undefined
  /** Where SNS is, if not at Amazon. */
  readonly snsEndpoint: string | undefined
}

type Kept = { readonly repositories: Pick<Repositories, 'domains'>; readonly counters: Counters }

/** Mails that are under way at once, and their connections. */
const connections = 50

/** How long what was found of a domain counts, in milliseconds, and of how many. */
const rememberedFor = 60_000
const mostRemembered = 10_000

/** The tenant of a domain that the project has added; looked up once a minute. */
const tenants = ({ region }: SesConfig, kept: () => Promise<Kept>, now: () => number = Date.now) => {
  const known = new Map<string, { readonly tenant: Tenant | undefined; readonly until: number }>()
  return async ({ projectId, from }: { readonly projectId: string; readonly from: string }) => {
    const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase()
    const key = `${projectId} ${domain}`
    const found = known.get(key)
    if (found && found.until > now()) return found.tenant
    const { domains } = (await kept()).repositories
    const tenant = (await domains.get({ projectId, domain, region }))?.tenant
    if (known.size >= mostRemembered) known.clear()
    known.set(key, { tenant, until: now() + rememberedFor })
    return tenant
  }
}

/**
 * The mailer of Amazon SES and its side of domains. The AWS SDK is loaded when one of them is first asked for something, so that no
 * command waits for it.
 */
export const sesAdapters = (config: SesConfig, kept: () => Promise<Kept>, log: Log) => {
  const { region, configurationSet, topicArn } = config
  const load = async (): Promise<{ readonly mailer: Mailer; readonly identities: Identities & { close(): void } }> => {
    const { sesIdentities, sesMailer } = await import('@posthorn/adapters-ses')
    const tenantOf = tenants(config, kept)
    return {
      mailer: sesMailer({ region, configurationSet, tenantOf, log, limits: { connections } }),
      identities: sesIdentities({ topicArn, log }),
    }
  }
  let loading: ReturnType<typeof load> | undefined
  const loaded = () => {
    loading ??= load()
    return loading
  }

  const own = ownSesAccounts(log)
  const mailer: Mailer = {
    send: async (mail) => (await loaded()).mailer.send(mail),
    ratePerSecond: async () => (await loaded()).mailer.ratePerSecond(),
    reportsSends: topicArn !== undefined,
    concurrency: connections,
    check: async () => (await loaded()).mailer.check(),
    close: async () => {
      const used = await loading
      await own.close()
      used?.identities.close()
      await used?.mailer.close()
    },
  }
  const identities: Identities = {
    perProject: false,
    create: async (of) => (await loaded()).identities.create(of),
    verified: async (of) => (await loaded()).identities.verified(of),
    remove: async (of) => (await loaded()).identities.remove(of),
  }
  return { mailer, identities, ownMailer: own.of }
}
export type SesAdapters = ReturnType<typeof sesAdapters>

const largestCertificate = 64 * 1024
const sameOrigin = (url: string, endpoint: string | undefined) =>
  endpoint !== undefined && new URL(url).origin === new URL(endpoint).origin

/** What Amazon SNS posts, at `/v1/ses/events`; undefined where nobody listens. */
export const sesEventsPage = async (
  { topicArn, snsEndpoint }: SesConfig,
  { mailReports }: Pick<Core, 'mailReports'>,
  counters: Counters,
  log: Log,
): Promise<ProviderEvents | undefined> => {
  if (topicArn === undefined) return undefined
  const { sesEvents } = await import('@posthorn/adapters-ses')
  const keyOf = (messageId: string) => `ses-event:${messageId}`
  const { receive } = sesEvents({
    topicArns: [topicArn],
    mailReports,
    log,
    endpoint: snsEndpoint,
    fetchText: async (url) => {
      const allowPrivate = sameOrigin(url, snsEndpoint)
      return (await guardedFetch(url, { maxBytes: largestCertificate, allowPrivate })).body
    },
    isNew: async (messageId, until) =>
      (await counters.takeUpTo({ key: keyOf(messageId), n: 1, limit: 1 }, until)) === 1,
    forget: (messageId) => counters.give({ key: keyOf(messageId), n: 1 }),
  })
  return { path: '/v1/ses/events', receive }
}
