import { useQueries, useQuery } from '@tanstack/react-query'
import { call } from '../api/client.js'
import { maxPageSize, useSenders } from '../api/records.js'
import type { Campaign, CampaignProgress, Scalar } from '../api/types.js'
import { hasRun, type Status } from '../campaigns/campaign-status.js'
import { useDomains, useOverview, useSendingFigures } from '../sending/sending-queries.js'
import { useProject } from '../shell/session.js'
import type { Facts } from './problems.js'

/** In ms. */
const [liveInterval, refreshInterval] = [3_000, 30_000]
const retryTime = 5 * 60_000
const day = 86_400_000
/** Older campaigns are no news. */
const newsTime = 30 * day
const [mostRunning, mostRetries] = [5, 2]

const useCampaigns = (status: Status, query: Readonly<Record<string, Scalar>>) => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'campaigns', 'home', status],
    queryFn: ({ signal }) => call(projectId, 'get', '/campaigns', { query, filter: { status }, signal }),
    refetchInterval: refreshInterval,
  })
}

const useWebhooks = () => {
  const { projectId, may } = useProject()
  return useQuery({
    queryKey: [projectId, 'webhooks', 'home'],
    queryFn: async ({ signal }) =>
      (await call(projectId, 'get', '/webhooks', { query: { limit: maxPageSize }, signal })).items,
    enabled: may('settings.edit'),
    refetchInterval: refreshInterval,
  })
}

export const useContactCounts = () => {
  const { projectId, may } = useProject()
  return useQuery({
    queryKey: [projectId, 'contacts', 'home'],
    queryFn: async ({ signal }) => {
      const conditions = [{ property: 'createdAt', operator: 'date-in-last', value: 30 }]
      const segment = JSON.stringify({ groups: [{ conditions }] })
      const count = async (filter: Readonly<Record<string, Scalar>>) =>
        (await call(projectId, 'get', '/contacts', { query: { limit: 1 }, filter, signal })).count
      const [all, fresh] = await Promise.all([count({}), count({ segment })])
      return { all, fresh }
    },
    enabled: may('addresses.read'),
    staleTime: refreshInterval,
  })
}

const useImports = () => {
  const { projectId } = useProject()
  return useQuery({
    queryKey: [projectId, 'imports', 'home'],
    queryFn: async ({ signal }) =>
      (await call(projectId, 'get', '/imports', { query: { limit: 5 }, filter: { state: 'running' }, signal })).items,
    refetchInterval: refreshInterval,
  })
}

const useProgress = (running: readonly Campaign[]) => {
  const { projectId } = useProject()
  return useQueries({
    queries: running.slice(0, mostRunning).map(({ _id: id }) => ({
      queryKey: [projectId, 'progress', 'home', id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }): Promise<CampaignProgress> =>
        call(projectId, 'get', '/campaigns/{id}/progress', { params: { id }, signal }),
      refetchInterval: liveInterval,
    })),
  })
}

const isNews = ({ scheduledTo, updatedAt }: Campaign) => Date.parse(scheduledTo ?? updatedAt) > Date.now() - newsTime

const useRetries = (campaigns: readonly Campaign[]) => {
  const { projectId, may } = useProject()
  return useQueries({
    queries: campaigns.slice(0, mostRetries).map(({ _id: id }) => ({
      queryKey: [projectId, 'retry-preview', id, 'home'],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        call(projectId, 'post', '/campaigns/{id}/retry-failed/preview', { params: { id }, body: {}, signal }),
      staleTime: retryTime,
      enabled: may('emails.send'),
    })),
  })
}

/** All that the start page shows; each part appears when it is known. */
export const useHome = () => {
  const { projectId, may } = useProject()
  const overview = useOverview()
  const sending = useSendingFigures()
  const domains = useDomains()
  const senders = useSenders(projectId)
  const webhooks = useWebhooks()
  const contacts = useContactCounts()
  const imports = useImports()
  const newest = { sort: 'updatedAt', order: 'desc' } as const
  const running = useCampaigns('being-sent', { ...newest, limit: mostRunning })
  const scheduled = useCampaigns('scheduled', { sort: 'scheduledTo', order: 'asc', limit: maxPageSize })
  const drafts = useCampaigns('draft', { ...newest, limit: 3 })
  const stopped = useCampaigns('error', { ...newest, limit: 5 })
  const sent = useCampaigns('sent', { sort: 'scheduledTo', order: 'desc', limit: 10 })
  const ran = [running, stopped, sent].flatMap(({ data }) => data?.items ?? []).filter(({ status }) => hasRun(status))
  const results = useQuery({
    queryKey: [projectId, 'results', 'home', ran.map(({ _id, status }) => `${_id} ${status}`).join()],
    queryFn: async ({ signal }) => {
      const query = { ids: ran.map(({ _id }) => _id).join() }
      const { items } = await call(projectId, 'get', '/campaign-results', { query, signal })
      return new Map(items.map((one) => [one.campaignId, one]))
    },
    enabled: ran.length > 0 && may('figures.read'),
    staleTime: refreshInterval,
  })
  const progress = useProgress(running.data?.items ?? [])
  const failed = (sent.data?.items ?? []).filter((one) => isNews(one) && (results.data?.get(one._id)?.failed ?? 0) > 0)
  const retries = useRetries(failed)

  const checks = [
    overview,
    sending,
    domains,
    senders,
    webhooks,
    running,
    stopped,
    sent,
    results,
    ...progress,
    ...retries,
  ]
  const facts: Facts | undefined =
    overview.data && sending.data && domains.data && senders.data && running.data && stopped.data && sent.data
      ? {
          ...{ now: Date.now(), access: sending.data.access, deliverability: sending.data.production },
          ...{ domains: domains.data, senders: senders.data, webhooks: webhooks.data ?? [], overview: overview.data },
          stopped: stopped.data.items.filter(isNews),
          putOff: running.data.items.flatMap((campaign, at) => {
            const { waitsFor, deliveries } = progress[at]?.data ?? {}
            const waiting = (deliveries?.queued ?? 0) + (deliveries?.sending ?? 0) + (deliveries?.uncertain ?? 0)
            return waitsFor === undefined ? [] : [{ campaign, reason: waitsFor, waiting }]
          }),
          results: results.data ?? new Map(),
          retries: failed.flatMap((campaign, at) => {
            const { recipients: mails = 0, isComplete = true } = retries[at]?.data ?? {}
            return mails > 0 ? [{ campaign, mails, isComplete }] : []
          }),
        }
      : undefined
  return {
    ...{ overview, sending, domains, senders, contacts, imports, running, scheduled, drafts, sent, results, progress },
    facts,
    isChecking: checks.some(({ isLoading }) => isLoading),
    /** Checks that failed. */
    failed: checks.filter(({ error }) => error !== null),
  }
}
export type Home = ReturnType<typeof useHome>
