import { guardedFetch } from '@posthorn/adapters-node'
import type { ConnectionLimits, ThreadQuestion } from '@posthorn/adapters-ses'
import { sesInThread, type ThreadMailerOptions } from '@posthorn/adapters-ses/thread'
import type { Core, Log, OwnAccountAccess } from '@posthorn/core'
import type { CloudAccount, Counters, Identities, Mailer, Repositories, Secrets } from '@posthorn/core/ports'
import { MailerUnavailable, ownAccounts } from '@posthorn/core/ports'
import type { ProviderEvents, PublicDocument } from '@posthorn/http-express'

/** What the configuration says of Amazon SES. */
export type SesConfig = {
  readonly region: string
  /** What mails go by whose sender's domain was not added here. */
  readonly configurationSet: string | undefined
  /** Where the events of mails come from; they do not unless given. */
  readonly topicArn: string | undefined
  /** The queue that they are taken from, where SNS does not post them. */
  readonly eventsQueue: string | undefined
  /** Where SNS is, if not at Amazon. */
  readonly snsEndpoint: string | undefined
  /** Where Amazon reaches this server with events, `https://mail.example.com/v1/ses/events`; unknown without a public address. */
  readonly eventsUrl: string | undefined
}

type Kept = { readonly repositories: Pick<Repositories, 'domains'>; readonly counters: Counters }

/** As many mails are under way at once as there are connections; 5 s to connect, and 60 s for an answer. */
const limits: ConnectionLimits = { connections: 50, connectTimeout: 5_000, requestTimeout: 60_000 }

/** The tenant of a domain that the project has added. */
const tenants =
  ({ region }: SesConfig, kept: () => Promise<Kept>) =>
  async ({ projectId, from }: { readonly projectId: string; readonly from: string }) => {
    const domain = from.slice(from.lastIndexOf('@') + 1).toLowerCase()
    const { domains } = (await kept()).repositories
    return (await domains.get({ projectId, domain, region }))?.tenant
  }

/**
 * The mailer of Amazon SES and its side of domains. The AWS SDK is loaded when one of them is first asked for something, so that no
 * command waits for it.
 */
export const sesAdapters = (config: SesConfig, kept: () => Promise<Kept>, log: Log) => {
  const { region, configurationSet, topicArn, eventsUrl } = config
  const load = async () => {
    const { accountIds, ownAccountMailers, sesCloudAccount, sesIdentities, sesMailer } = await import(
      '@posthorn/adapters-ses'
    )
    const tenantOf = tenants(config, kept)
    return {
      mailer: sesMailer({ region, configurationSet, tenantOf, log, limits }),
      identities: sesIdentities({ topicArn, log }),
      cloudAccount: sesCloudAccount({ eventsUrl }),
      ownMailers: ownAccountMailers({ eventsUrl, log }),
      accountIdOf: accountIds(),
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
  const identities: Identities = {
    perProject: false,
    create: async (of) => (await loaded()).identities.create(of),
    verified: async (of) => (await loaded()).identities.verified(of),
    remove: async (of) => (await loaded()).identities.remove(of),
  }
  const cloudAccount: CloudAccount = { look: async (asked) => (await loaded()).cloudAccount.look(asked) }
  const threadOptions: ThreadMailerOptions = { region, configurationSet, limits }
  return {
    mailer,
    /** What its counterpart in a sending thread is opened with, and whom that asks for credentials and tenants. */
    inThread: {
      module: sesInThread,
      options: () => threadOptions,
      answer: async (question: unknown) => (await loaded()).mailer.answer(question as ThreadQuestion),
    },
    identities,
    cloudAccount,
    /** That of a project's own account. */
    ownMailer: async (access: OwnAccountAccess): Promise<Mailer> =>
      (await loaded()).ownMailers.of({ owner: access.projectId, ...access }),
    /** The AWS account that a project's credentials open. @throws Error where AWS does not say */
    accountIdOf: async ({ credentials, region: where }: OwnAccountAccess): Promise<string> =>
      (await loaded()).accountIdOf(credentials, where),
  }
}
export type SesAdapters = ReturnType<typeof sesAdapters>

/** The templates of the role that lets this server into a project's own account, and of what tells it of events there: CloudFormation reads them from S3. */
export const ownAccountPages = async (ses: SesConfig | undefined): Promise<readonly PublicDocument[]> => {
  if (!ses) return []
  const { sendingEventsTemplate, sendingRoleTemplate } = await import('@posthorn/adapters-ses')
  return [
    { path: '/v1/ses/sending-role.json', type: 'application/json', text: sendingRoleTemplate() },
    { path: '/v1/ses/sending-events.json', type: 'application/json', text: sendingEventsTemplate() },
  ]
}

const largestCertificate = 64 * 1024
const sameOrigin = (url: string, endpoint: string | undefined) =>
  endpoint !== undefined && new URL(url).origin === new URL(endpoint).origin

type Reports = Pick<Core, 'mailReports' | 'unreadEvents'>

/** Events land once, whichever process takes them. */
const landingOf = ({ mailReports, unreadEvents }: Reports, counters: Counters, log: Log) => {
  const keyOf = (messageId: string) => `ses-event:${messageId}`
  return {
    mailReports,
    keepUnread: unreadEvents.keep,
    log,
    isNew: async (messageId: string, until: Date) =>
      (await counters.takeUpTo({ key: keyOf(messageId), n: 1, limit: 1 }, until)) === 1,
    forget: (messageId: string) => counters.give({ key: keyOf(messageId), n: 1 }),
  }
}

/** What is known of projects' own accounts, for whoever takes the events of their mails. */
const ownTopicsOf = (
  ses: Pick<SesAdapters, 'accountIdOf'>,
  repositories: Pick<Repositories, 'projects'>,
  secrets: Pick<Secrets, 'open'>,
) => {
  const accessTo = ownAccounts({ repositories, secrets })
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

/**
 * What Amazon SNS posts, at `/v1/ses/events`: of the server's topic unless its events come by a queue, and, where the server has a public
 * address, of topics in projects' own accounts. Undefined where nobody listens.
 */
export const sesEventsPage = async (
  { topicArn, eventsQueue, snsEndpoint, eventsUrl }: SesConfig,
  ses: Pick<SesAdapters, 'accountIdOf'>,
  core: Reports,
  { counters, repositories }: Kept & { readonly repositories: Pick<Repositories, 'projects'> },
  secrets: Pick<Secrets, 'open'>,
  log: Log,
): Promise<ProviderEvents | undefined> => {
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

/** Takes events from the queue, where there is one; `close` ends that. */
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
