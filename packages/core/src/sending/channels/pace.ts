import type { Clock, Counters } from '../../kernel/ports.js'
import type { Project } from '../../projects/project.js'
import { type Channel, channelKey } from './channel.js'
import type { ChannelState, ChannelStates } from './channel-states.js'
import type { Lane } from './lane.js'

export type PaceSettings = {
  /** Mails per second of a project in sandbox. */
  readonly sandboxRatePerSecond: number
  /** Mails per second of each of the server's own channels, where the operator sets a limit below the provider's. */
  readonly mailRatePerSecond?: number | undefined
}

type Deps = {
  readonly counters: Counters
  readonly states: ChannelStates
  readonly clock: Clock
  readonly settings: PaceSettings
}

/** What is kept free for transactional mail, of a rate that can be shared at all. */
const transactionalShare = 0.1

/** Whole mails in a second: at least one, where any may be sent at all. */
const wholeMails = (rate: number): number => (rate <= 0 ? 0 : Math.max(1, Math.floor(rate)))

/** A channel that was told "too fast": how much is asked of it until it has recovered. */
type Ceiling = { readonly perSecond: number; readonly recovered: number; readonly since: number }

/** How fast a channel is: what it may send in a second, as far as that is limited, and what it was last given leave for in one. */
export type ChannelPace = {
  readonly channel: Channel
  readonly ratePerSecond?: number
  readonly handedPerSecond: number
}

type Handed = { readonly channel: Channel; readonly second: number; readonly n: number }

/** What was done by a channel counts as long in seconds, and is then forgotten. */
const rememberedFor = 60

const unlimited = Number.POSITIVE_INFINITY

/**
 * Stage 5 of a sending: how many mails may leave by a channel now. Rates are shared by all workers through the counters, in windows of
 * one second. A throttle answer halves the channel's pace, at most once a second; every second without one restores a tenth of it.
 */
export const pacing = ({ counters, states, clock, settings }: Deps) => {
  const ceilings = new Map<string, Ceiling>()
  const handed = new Map<string, Handed>()

  const secondNow = () => Math.floor(clock().getTime() / 1000)

  const ceilingOf = (key: string): number => {
    const ceiling = ceilings.get(key)
    if (!ceiling) return unlimited
    const now = Math.ceil(ceiling.perSecond * 1.1 ** (secondNow() - ceiling.since))
    if (now < ceiling.recovered) return now
    ceilings.delete(key)
    return unlimited
  }

  const channelRate = ({ account }: Channel, state: ChannelState | undefined): number => {
    if (state?.kind !== 'ready') return 0
    const ownLimit = account === 'server' ? settings.mailRatePerSecond : undefined
    return Math.min(ownLimit ?? unlimited, state.ratePerSecond ?? unlimited)
  }

  const projectRate = ({ status }: Pick<Project, 'status'>): number =>
    status === 'sandbox' ? settings.sandboxRatePerSecond : unlimited

  /** Of `n`, as many as that rate leaves to the lane in this second. */
  const within = async (rate: number, key: string, lane: Lane, n: number, second: number): Promise<number> => {
    const limit = lane === 'bulk' && rate >= 10 ? Math.floor(rate * (1 - transactionalShare)) : rate
    if (!Number.isFinite(limit) || n === 0) return n
    const take = { key: `pace:${key}:${second}`, n, limit: wholeMails(limit) }
    return counters.takeUpTo(take, new Date((second + 60) * 1000))
  }

  const note = (key: string, channel: Channel, second: number, n: number): void => {
    const before = handed.get(key)
    handed.set(key, { channel, second, n: before?.second === second ? before.n + n : n })
    if (handed.size < 1_000) return
    for (const [old, { second: then }] of handed) if (second - then > rememberedFor) handed.delete(old)
  }

  const finite = (rate: number): { readonly ratePerSecond?: number } =>
    Number.isFinite(rate) ? { ratePerSecond: wholeMails(rate) } : {}

  return {
    /**
     * Whole mails per second that the project may send by the channel, whatever the relay says meanwhile; 0: none; undefined: no limit is
     * known.
     */
    allowed: async (channel: Channel, project: Pick<Project, 'status'>): Promise<number | undefined> => {
      const state = await states.current(channel)
      if (!state) return undefined
      return finite(Math.min(projectRate(project), channelRate(channel, state))).ratePerSecond
    },

    /**
     * Takes leave for up to `n` mails of the project in this second, and answers for how many. What is not used is lost. A channel
     * whose mailer cannot be had limits nothing: whoever comes to send by it is to hear of that.
     */
    take: async (
      channel: Channel,
      project: Pick<Project, '_id' | 'status'>,
      lane: Lane,
      n: number,
    ): Promise<number> => {
      const state = await states.current(channel)
      if (state?.kind === 'unavailable') return n
      const key = channelKey(channel)
      const second = secondNow()
      const rate = Math.min(channelRate(channel, state), ceilingOf(key))
      if (rate <= 0) return 0
      const own = await within(projectRate(project), `sandbox:${project._id}`, lane, n, second)
      const granted = await within(rate, key, lane, own, second)
      note(key, channel, second, granted)
      return granted
    },

    /** The provider said "too fast". */
    throttled: (channel: Channel): void => {
      const key = channelKey(channel)
      const second = secondNow()
      const standing = ceilings.get(key)
      if (standing?.since === second) return
      const perSecond = standing ? ceilingOf(key) : (handed.get(key)?.n ?? 1)
      const before = Number.isFinite(perSecond) ? perSecond : (handed.get(key)?.n ?? 1)
      ceilings.set(key, {
        perSecond: Math.max(1, Math.floor(before / 2)),
        recovered: Math.max(standing?.recovered ?? 0, before * 2),
        since: second,
      })
    },

    /** Of the channels by which this process sent in the last minute. */
    now: async (): Promise<readonly ChannelPace[]> => {
      const second = secondNow()
      const lately = [...handed].filter(([, one]) => second - one.second <= rememberedFor)
      return Promise.all(
        lately.map(async ([key, { channel, second: then, n }]) => ({
          channel,
          handedPerSecond: second - then <= 1 ? n : 0,
          ...finite(Math.min(channelRate(channel, await states.current(channel)), ceilingOf(key))),
        })),
      )
    },
  }
}
export type Pace = ReturnType<typeof pacing>
