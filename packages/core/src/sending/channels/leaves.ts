import type { Clock } from '../../kernel/ports.js'
import type { Project } from '../../projects/project.js'
import { type Channel, channelKey, channelOf } from './channel.js'
import type { Lane } from './lane.js'
import type { Mailers } from './mailer.js'
import type { Pace } from './pace.js'

/** Leave to claim `n` mails of a queue, before it is known by which channels they are to go. */
export type Leave = {
  readonly n: number
  /** How many of these `n` may go by the channel that they turn out to be of. */
  readonly use: (channel: Channel, n: number) => Promise<number>
}

type Deps = {
  readonly pace: Pick<Pace, 'take'>
  readonly mailers: Pick<Mailers, 'perRegion'>
  readonly clock: Clock
  readonly settings: { readonly regions: readonly string[] }
}

/** So long a queue is taken to have mails of the channel that some were of. */
const rememberedFor = 60_000
const mostRemembered = 10_000

type Seen = { readonly channel: Channel; readonly until: number }

/**
 * A queue may have mails of several channels: a project's senders are of several regions, or it has come to an account of its own while
 * others were waiting. Leave is taken for the channels that its mails were of lately, else for the one that the project has now; who
 * turns out to be of another takes that one's.
 */
export const leaves = ({ pace, mailers, clock, settings }: Deps) => {
  const seen = new Map<string, Map<string, Seen>>()

  const see = (queue: string, channel: Channel): void => {
    if (seen.size >= mostRemembered && !seen.has(queue)) seen.clear()
    const channels = seen.get(queue) ?? new Map<string, Seen>()
    seen.set(queue, channels.set(channelKey(channel), { channel, until: clock().getTime() + rememberedFor }))
  }

  const expected = (project: Project, queue: string): readonly Channel[] => {
    const now = clock().getTime()
    const lately = [...(seen.get(queue)?.values() ?? [])].filter(({ until }) => until > now)
    if (lately.length > 0) return lately.map(({ channel }) => channel)
    const region = (project.status === 'byoCloudSes' && project.cloudConfig?.region) || settings.regions[0]
    return [channelOf(project, region ?? '', mailers)]
  }

  return {
    /** How many of `n` mails of a page that was just expanded may go by its channel. */
    page: (project: Project, channel: Channel, n: number): Promise<number> => pace.take(channel, project, 'bulk', n),

    take: async (project: Project, lane: Lane, n: number): Promise<Leave> => {
      const queue = `${lane}:${project._id}`
      const channels = expected(project, queue)
      const taken = new Map<string, number>()
      for (const channel of channels) taken.set(channelKey(channel), await pace.take(channel, project, lane, n))
      const all = [...taken.values()].reduce((sum, one) => sum + one, 0)
      return {
        n: Math.min(n, all),
        use: async (channel, asked) => {
          see(queue, channel)
          const key = channelKey(channel)
          const had = Math.min(asked, taken.get(key) ?? 0)
          taken.set(key, (taken.get(key) ?? 0) - had)
          return asked > had ? had + (await pace.take(channel, project, lane, asked - had)) : had
        },
      }
    },
  }
}
export type Leaves = ReturnType<typeof leaves>
