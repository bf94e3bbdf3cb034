import { guardedFetch } from '@posthorn/adapters-node'
import type { HttpConnectionPoolLimits, SesThreadQuestion } from '@posthorn/adapters-ses'
import { type MailerInThreadOptions, sesThreadModule } from '@posthorn/adapters-ses/thread'
import type { Core, Log, OwnAccountAccess } from '@posthorn/core'
import type { Secrets } from '@posthorn/core/ports/runtime'
import type { Counters, Repositories } from '@posthorn/core/ports/storage'
import {
  type CloudAccount,
  type DomainIdentities,
  type Mailer,
  MailerUnavailable,
  ownAccountLookup,
} from '@posthorn/core/ports/transport'
import type { ProviderEventsEndpoint, ServedTextFile } from '@posthorn/http-express'
import type { Config } from '../config.js'

export type SesConfig = NonNullable<Config['ses']>

type Kept = { readonly repositories: Pick<Repositories, 'domains'>; readonly counters: Counters }

/** One mail is in flight per connection; timeouts in ms. */
const limits: HttpConnectionPoolLimits = { connections: 50, connectTimeout: 5_000, requestTimeout: 60_000 }

const tenants =
  ({ region }: SesConfig, kept: () => Promise<Kept>) =>
  async ({ projectId, from }: { readonly projectId: string; readonly from: string }) => {
    const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase()
    const { domains } = (await kept()).repositories
    return (await domains.get({ projectId, domain, region }))?.tenant
  }

/** Loads the AWS SDK on first use, so that no command waits for it. */
export const sesAdapters = (config: SesConfig, kept: () => Promise<Kept>, log: Log) => {
  const { region, configurationSet, topicArn, eventsUrl } = config
  const load = async () => {
    const { awsAccountLookup, ownAccountMailers, sesCloudAccount, sesIdentities, sesMailer } = await import(
      '@posthorn/adapters-ses'
    )
    const tenantOf = tenants(config, kept)
    return {
      mailer: sesMailer({ region, configurationSet, tenantOf, log, limits }),
      identities: sesIdentities({ topicArn, log }),
      cloudAccount: sesCloudAccount({ eventsUrl }),
      ownMailers: ownAccountMailers({ eventsUrl, log }),
      accountIdOf: awsAccountLookup(),
    }
  }
  let loading: ReturnType<typeof load> | undefined
  const loaded = () => {
    loading ??= load()
    return loading
  }

  const mailer: Mailer = {
    send: async (mail) => (await loaded()).mailer.send(mail),
    ratePerSecond: async () => (await loaded()).mailer.ratePerSecond(),
    waitsFor: async () => (await loaded()).mailer.waitsFor?.(),
    reportsSends: topicArn !== undefined,
    concurrency: limits.connections,
    check: async () => (await loaded()).mailer.check(),
    close: async () => {
      const used = await loading
      used?.identities.close()
      used?.cloudAccount.close()
      await used?.ownMailers.close()
      await used?.mailer.close()
    },
  }
  const identities: DomainIdentities = {
    perProject: false,
    create: async (of) => (await loaded()).identities.create(of),
    verified: async (of) => (await loaded()).identities.verified(of),
    remove: async (of) => (await loaded()).identities.remove(of),
  }
  const cloudAccount: CloudAccount = { look: async (asked) => (await loaded()).cloudAccount.look(asked) }
  const threadOptions: MailerInThreadOptions = { region, configurationSet, limits }
  return {
    mailer,
    inThread: {
      module: sesThreadModule,
      options: () => threadOptions,
      answer: async (question: unknown) => (await loaded()).mailer.answer(question as SesThreadQuestion),
    },
    identities,
    cloudAccount,
    ownMailer: async (access: OwnAccountAccess): Promise<Mailer> =>
      (await loaded()).ownMailers.of({ owner: access.projectId, ...access }),
    accountIdOf: async ({ credentials, region: where }: OwnAccountAccess): Promise<string> =>
      (await loaded()).accountIdOf(credentials, where),
  }
}
export type SesAdapters = ReturnType<typeof sesAdapters>

/** CloudFormation templates for access to a project's own account and its events. */
export const cloudFormationDocuments = async (ses: SesConfig | undefined): Promise<readonly ServedTextFile[]> => {
  if (!ses) return []
  const { cloudFormationEventsTemplate, cloudFormationRoleTemplate } = await import('@posthorn/adapters-ses')
  return [
    { path: '/v1/ses/sending-role.json', type: 'application/json', text: cloudFormationRoleTemplate() },
    { path: '/v1/ses/sending-events.json', type: 'application/json', text: cloudFormationEventsTemplate() },
  ]
}

const largestCertificate = 64 * 1024
const sameOrigin = (url: string, endpoint: string | undefined) =>
  endpoint !== undefined && new URL(url).origin === new URL(endpoint).origin

type Reports = Pick<Core, 'deliveryEvents' | 'unreadEvents'>

/** Records each event once, whichever process receives it. */
const landingOf = ({ deliveryEvents, unreadEvents }: Reports, counters: Counters, log: Log) => {
  const keyOf = (messageId: string) => `ses-event:${messageId}`
  return {
    deliveryEvents,
    keepUnread: unreadEvents.keep,
    log,
    isNew: async (messageId: string, until: Date) =>
      (await counters.takeUpTo({ key: keyOf(messageId), n: 1, limit: 1 }, until)) === 1,
    forget: (messageId: string) => counters.give({ key: keyOf(messageId), n: 1 }),
  }
}

const ownTopicsOf = (
  ses: Pick<SesAdapters, 'accountIdOf'>,
  repositories: Pick<Repositories, 'projects'>,
  secrets: Pick<Secrets, 'open'>,
) => {
  const accessTo = ownAccountLookup({ repositories, secrets })
  return {
    isExpected: async (projectId: string) => {
      const project = await repositories.projects.get({ _id: projectId })
      return project?.cloudExternalId !== undefined || project?.cloudConfig !== undefined
    },
    accountOf: async (projectId: string, region: string) => {
      const access = await accessTo({ account: 'project', projectId, region }).catch((error: unknown) => {
        if (error instanceof MailerUnavailable) return undefined
        throw error
      })
      return access && ses.accountIdOf(access)
    },
  }
}

/** Accepts the server's topic unless a queue is set; with a public URL, also topics of projects' own accounts. */
export const sesEventsEndpoint = async (
  { topicArn, eventsQueue, snsEndpoint, eventsUrl }: SesConfig,
  ses: Pick<SesAdapters, 'accountIdOf'>,
  core: Reports,
  { counters, repositories }: Kept & { readonly repositories: Pick<Repositories, 'projects'> },
  secrets: Pick<Secrets, 'open'>,
  log: Log,
): Promise<ProviderEventsEndpoint | undefined> => {
  const topicArns = topicArn === undefined || eventsQueue !== undefined ? [] : [topicArn]
  if (topicArns.length === 0 && eventsUrl === undefined) return undefined
  const { sesEvents } = await import('@posthorn/adapters-ses')
  const { receive } = sesEvents({
    ...landingOf(core, counters, log),
    topicArns,
    ownTopics: eventsUrl === undefined ? undefined : ownTopicsOf(ses, repositories, secrets),
    endpoint: snsEndpoint,
    fetchBytes: async (url) => {
      const allowPrivate = sameOrigin(url, snsEndpoint)
      return (await guardedFetch(url, { maxBytes: largestCertificate, allowPrivate })).bytes
    },
  })
  return { path: '/v1/ses/events', receive }
}

export const takeSesEvents = async (
  ses: SesConfig | undefined,
  core: Reports,
  counters: Counters,
  log: Log,
): Promise<{ readonly close: () => Promise<void> } | undefined> => {
  if (ses?.eventsQueue === undefined || ses.topicArn === undefined) return undefined
  const { sesQueue } = await import('@posthorn/adapters-ses')
  const { region, eventsQueue: queueUrl, topicArn } = ses
  const queue = sesQueue({ ...landingOf(core, counters, log), queueUrl, region, topicArns: [topicArn] })
  queue.start()
  return queue
}
