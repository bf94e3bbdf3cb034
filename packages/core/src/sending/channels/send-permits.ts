import { expiringCachedLookup } from '../../kernel/byte-bounded-cache.js'
import type { Clock } from '../../kernel/ports.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Project } from '../../projects/project.js'
import { channelKey, channelOfProject, type Lane, type SendingChannel } from './channel.js'
import type { Mailers } from './mailer.js'
import type { ChannelRateLimiter } from './rate-limiter.js'

/** Permission for `n` mails, taken before their channels are known. */
export type SendPermit = {
  readonly n: number
  readonly use: (channel: SendingChannel, wanted: number) => Promise<number>
}

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project }>
  readonly rateLimiter: Pick<ChannelRateLimiter, 'take'>
  readonly mailers: Pick<Mailers, 'perRegion'>
  readonly clock: Clock
  readonly settings: { readonly regions: readonly string[] }
}

const channelMemory = 60_000
const mostQueues = 10_000
/** In ms: a project’s rate limit seldom changes. */
const projectCacheTtl = 5_000

type Seen = { readonly channel: SendingChannel; readonly until: number }

/** For deleted projects: compiling the mail reports the reason. */
const unlimitedPermit = (n: number): SendPermit => ({ n, use: async (_channel, wanted) => wanted })

/**
 * Takes permits before mails are claimed, for the queue's recent channels, else the project's current one. A mail of another channel takes one of
 * that.
 */
export const sendPermits = ({ repositories, rateLimiter, mailers, clock, settings }: Deps) => {
  const seen = new Map<string, Map<string, Seen>>()
  const projects = expiringCachedLookup<Project | undefined>({ time: projectCacheTtl, most: mostQueues, clock })

  const projectOf = (projectId: string): Promise<Project | undefined> =>
    projects.of(projectId, () => repositories.projects.get({ _id: projectId }))

  const see = (queue: string, channel: SendingChannel): void => {
    if (seen.size >= mostQueues && !seen.has(queue)) seen.clear()
    const channels = seen.get(queue) ?? new Map<string, Seen>()
    seen.set(queue, channels.set(channelKey(channel), { channel, until: clock().getTime() + channelMemory }))
  }

  const expectedChannels = (project: Project, queue: string): readonly SendingChannel[] => {
    const now = clock().getTime()
    const lately = [...(seen.get(queue)?.values() ?? [])].filter(({ until }) => until > now)
    if (lately.length > 0) return lately.map(({ channel }) => channel)
    const region = (project.status === 'byoCloudSes' && project.cloudConfig?.region) || settings.regions[0]
    return [channelOfProject(project, region ?? '', mailers)]
  }

  return {
    /** The project itself if it was deleted. */
    accountOf: async (projectId: string): Promise<string> => (await projectOf(projectId))?.accountId ?? projectId,

    forPage: async (projectId: string, channel: SendingChannel, n: number): Promise<number> => {
      const project = await projectOf(projectId)
      return project ? rateLimiter.take(channel, project, 'bulk', n) : 0
    },

    take: async (projectId: string, lane: Lane, n: number): Promise<SendPermit> => {
      const project = await projectOf(projectId)
      if (!project) return unlimitedPermit(n)
      const queue = `${lane}:${projectId}`
      const taken = new Map<string, number>()
      for (const channel of expectedChannels(project, queue))
        taken.set(channelKey(channel), await rateLimiter.take(channel, project, lane, n))
      const all = [...taken.values()].reduce((sum, one) => sum + one, 0)
      return {
        n: Math.min(n, all),
        use: async (channel, wanted) => {
          see(queue, channel)
          const key = channelKey(channel)
          const had = Math.min(wanted, taken.get(key) ?? 0)
          taken.set(key, (taken.get(key) ?? 0) - had)
          return wanted > had ? had + (await rateLimiter.take(channel, project, lane, wanted - had)) : had
        },
      }
    },

    invalidate: projects.clear,
  }
}
export type SendPermits = ReturnType<typeof sendPermits>
