import { concurrencyLimiter } from '../../kernel/limiter.js'

/** Transmitted and not yet stored: a crash can send these twice. */
const mostUnconfirmed = 200

/** Places of the counters in the shared memory. */
const [taken, limit] = [0, 1]

/** Shared between threads. */
export type SharedTransmissionCounts = Int32Array<SharedArrayBuffer>

/** Taken before a mail is transmitted, kept until its outcome is durable. */
export type UnconfirmedTransmissions = {
  readonly cells: SharedTransmissionCounts
  readonly take: (deliveryId: string) => boolean
  readonly free: (n: number) => void
}

export const unconfirmedTransmissionsIn = (cells: SharedTransmissionCounts): UnconfirmedTransmissions => ({
  cells,
  take: () => {
    if (Atomics.add(cells, taken, 1) < (cells[limit] ?? 0)) return true
    Atomics.sub(cells, taken, 1)
    return false
  },
  free: (n) => {
    Atomics.sub(cells, taken, n)
  },
})

/** 200 slots, or the mailer's concurrency if higher. */
export const unconfirmedSlots = (concurrency: number): UnconfirmedTransmissions => {
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  cells[limit] = Math.max(mostUnconfirmed, concurrency)
  return unconfirmedTransmissionsIn(cells)
}

/** Weight of a channel's mails that are with the renderer or not yet stored: rendering never waits for a commit. */
const mostWeight = 2_000

/**
 * What a chunk of mails holds of its channel: its weight, from its turn on, and an unconfirmed slot for each mail that was started. Each
 * mail gives back what it holds once:
 *
 * | The mail | Weight | Slot |
 * | --- | --- | --- |
 * | lost its lease, or its result was known without sending | given back before the renderer gets the chunk | never taken |
 * | was not started by the renderer | given back; the mail waits for another turn | never taken |
 * | was started, and its outcome is stored, or it was given up | given back | given back |
 */
export type CapacityShare = {
  readonly unconfirmed: UnconfirmedTransmissions
  readonly freeWeight: (weight: number) => void
  readonly freeSlots: (mails: number) => void
}

/** Of all channels of this worker, which never wait for each other. */
export const channelCapacities = () => {
  const channels = new Map<string, ReturnType<typeof newChannel>>()

  const newChannel = (concurrency: number) => ({
    limiter: concurrencyLimiter({ total: mostWeight }),
    unconfirmed: unconfirmedSlots(concurrency),
  })

  return {
    /**
     * Calls `begin` when the channel has room. Those with different turn keys take turns.
     * @param concurrency of the channel's mailer
     */
    hold: (
      { channel: key, concurrency }: { readonly channel: string; readonly concurrency: number },
      turnKey: string,
      weight: number,
      begin: (capacity: CapacityShare) => void,
    ): void => {
      const channel = channels.get(key) ?? newChannel(concurrency)
      channels.set(key, channel)
      let left = weight
      void channel.limiter.take(turnKey, weight)?.then((charge) =>
        begin({
          unconfirmed: channel.unconfirmed,
          freeSlots: channel.unconfirmed.free,
          freeWeight: (some) => {
            left -= some
            charge.settle(left)
            if (channel.limiter.isIdle()) channels.delete(key)
          },
        }),
      )
    },
  }
}
