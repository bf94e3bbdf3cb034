import type { z } from 'zod'
import type { Account } from '../accounts/account.js'
import type { accountUseCases } from '../accounts/accounts.js'
import { type Domain, hasDkim } from '../domains/domain.js'
import { collected, countRecords } from '../kernel/listing.js'
import type { Clock, Counters } from '../kernel/ports.js'
import { notFound } from '../kernel/refusal.js'
import { getOrNotFound, type RepositoriesFor, type Where } from '../kernel/repository.js'
import { type AccessRequest, AccessRequestView, pendingLimitIncrease } from '../production-access/access-request.js'
import type { Project } from '../projects/project.js'
import { worstRate } from '../reporting/deliverability.js'
import type { Figures } from '../reporting/figures/figure.js'
import { monthCounterKey } from '../sending/acceptance/quota.js'
import type { ChannelRateLimiter } from '../sending/channels/rate-limiter.js'
import type { Deliveries } from '../sending/ledger/deliveries.js'
import {
  type RestrictionThresholds,
  type SendingWindowFigures,
  sendingWindowFigures,
} from '../sending/restriction/restriction.js'
import type { UnparsedProviderEvent } from '../tracking/unread-events.js'
import type { WebhookDelivery } from '../webhooks/webhook-delivery.js'
import {
  type AccessReviewsQuery,
  OperatedAccount,
  OperatedProject,
  OperatedServer,
  type OperatorProjectsQuery,
  ReviewedProject,
  type ServerChecks,
  type ServerReport,
} from './operator-views.js'

/** By the program that runs the engine. `check` may take seconds. */
export type ServerReports = {
  readonly report: () => Promise<ServerReport>
  readonly check: () => Promise<Readonly<ServerChecks['checks']>>
}

type Deps = {
  readonly repositories: RepositoriesFor<{
    accounts: Account
    projects: Project
    domains: Domain
    accessRequests: AccessRequest
    unreadEvents: UnparsedProviderEvent
    webhookDeliveries: WebhookDelivery
  }>
  readonly accounts: Pick<ReturnType<typeof accountUseCases>, 'get'>
  readonly figures: Pick<Figures, 'totals'>
  readonly counters: Pick<Counters, 'used'>
  readonly deliveries: Pick<Deliveries, 'backlog'>
  readonly rateLimiter: Pick<ChannelRateLimiter, 'now' | 'shutBy'>
  readonly worker: { readonly isPaused: () => boolean }
  readonly notReady: () => string | undefined
  readonly serverReports?: ServerReports | undefined
  readonly clock: Clock
  readonly settings: { readonly restriction: RestrictionThresholds }
}

type Page = { readonly skip: number; readonly limit: number }

const sentIn = (windows: readonly SendingWindowFigures[]): number => windows.find(({ days }) => days === 30)?.sent ?? 0

const isWaiting = ({ status, limitIncreases }: AccessRequest): boolean =>
  status === 'pending' || pendingLimitIncrease(limitIncreases) !== undefined

export const operatorUseCases = (deps: Deps) => {
  const { repositories, accounts, figures, counters, deliveries, rateLimiter, worker, clock, settings } = deps
  const { projects, domains, accessRequests, unreadEvents, webhookDeliveries } = repositories
  const windowsOf = sendingWindowFigures({ figures, clock })

  const read = async (project: Project) => {
    const { _id: projectId, accountId } = project
    const [account, request, windows] = await Promise.all([
      accounts.get(accountId),
      accessRequests.get({ projectId }),
      windowsOf(projectId),
    ])
    const operated = {
      ...project,
      accountName: account.name,
      credits: account.credits,
      sent: sentIn(windows),
      requestStatus: request?.status ?? ('none' as const),
    }
    return { operated, request, windows }
  }

  const reviewed = async (project: Project): Promise<ReviewedProject> => {
    const { _id: projectId } = project
    const [{ operated, request, windows }, owned, sentThisMonth] = await Promise.all([
      read(project),
      collected(domains.each({ projectId })),
      counters.used(monthCounterKey(projectId, clock())),
    ])
    return ReviewedProject.parse({
      ...operated,
      ...(request && { request: AccessRequestView.parse(request) }),
      domains: owned.map((one) => ({ domain: one.domain, region: one.region, verified: hasDkim(one) })),
      sentThisMonth,
      bounce: worstRate(windows, 'bounces', settings.restriction),
      complaint: worstRate(windows, 'complaints', settings.restriction),
    })
  }

  const operatedAccount = async ({ _id }: Pick<Account, '_id'>): Promise<OperatedAccount> => {
    const [account, count] = await Promise.all([accounts.get(_id), countRecords(projects, { accountId: _id })])
    return OperatedAccount.parse({ ...account, projects: count })
  }

  const named = (search: string) => (search === '' ? {} : { name: { containing: search } })

  return {
    /** Waiting applications with the oldest first, decided ones with the newest first. */
    reviews: async ({ state, skip, limit }: z.output<typeof AccessReviewsQuery>) => {
      const wanted = (await collected(accessRequests.each({}))).filter(
        (one) => isWaiting(one) === (state === 'waiting'),
      )
      const direction = state === 'waiting' ? 1 : -1
      const sorted = wanted.toSorted((a, b) => direction * (a.updatedAt < b.updatedAt ? -1 : 1))
      const items = await Promise.all(
        sorted.slice(skip, skip + limit).map(async ({ projectId }) => {
          const project = await projects.get({ _id: projectId })
          return project && reviewed(project)
        }),
      )
      return { items: items.filter((one) => one !== undefined), count: wanted.length }
    },

    projects: async ({ search, accountId, restricted, ...page }: z.output<typeof OperatorProjectsQuery>) => {
      const where: Where<Project> = {
        ...named(search),
        ...(accountId !== undefined && { accountId }),
        ...(restricted !== undefined && { restricted: restricted === 'true' }),
      }
      const { items, count } = await projects.list({ where, sort: { by: 'name', order: 'asc' }, ...page })
      const shown = items.map(async (one) => OperatedProject.parse((await read(one)).operated))
      return { items: await Promise.all(shown), count }
    },

    projectIds: async (accountId: string): Promise<readonly string[]> =>
      (await collected(projects.each({ accountId }))).map(({ _id }) => _id),

    /** @throws Refusal `not-found` */
    project: async (id: string): Promise<ReviewedProject> => reviewed(await getOrNotFound(projects, { _id: id })),

    accounts: async ({ search, ...page }: { readonly search: string } & Page) => {
      const { items, count } = await repositories.accounts.list({
        where: named(search),
        sort: { by: 'name', order: 'asc' },
        ...page,
      })
      return { items: await Promise.all(items.map(operatedAccount)), count }
    },

    /** @throws Refusal `not-found` */
    account: (id: string): Promise<OperatedAccount> => operatedAccount({ _id: id }),

    /** Queues of all processes; channels and worker of this one. */
    server: async (): Promise<OperatedServer> => {
      const [lanes, rates, webhooksWaiting, unread, server] = await Promise.all([
        deliveries.backlog(),
        rateLimiter.now(),
        countRecords(webhookDeliveries, { state: 'pending' }),
        countRecords(unreadEvents, {}),
        deps.serverReports?.report(),
      ])
      const channels = rates.map(async ({ channel, ratePerSecond, handedPerSecond }) => ({
        ...channel,
        ratePerSecond,
        usedPerSecond: handedPerSecond,
        ...(ratePerSecond === 0 && { reason: await rateLimiter.shutBy(channel) }),
      }))
      return OperatedServer.parse({
        server,
        hasChecks: deps.serverReports !== undefined,
        notReady: deps.notReady(),
        isPaused: worker.isPaused(),
        lanes,
        channels: await Promise.all(channels),
        webhooksWaiting,
        unreadEvents: unread,
      })
    },

    /** Runs the checks of `posthorn doctor`. @throws Refusal `not-found` if another program runs the engine */
    checks: async (): Promise<ServerChecks> => {
      if (!deps.serverReports) throw notFound('Server check')
      return { checks: [...(await deps.serverReports.check())] }
    },
  }
}
