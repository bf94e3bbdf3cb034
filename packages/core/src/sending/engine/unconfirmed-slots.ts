/** Transmitted and not yet stored: a crash can send these twice. */
const mostUnconfirmed = 200

/** Places of the counters in the shared memory. */
const [taken, limit] = [0, 1]

/** Shared between threads. */
export type SharedUnconfirmedCounts = Int32Array<SharedArrayBuffer>

/** Taken before a mail is transmitted, kept until its outcome is durable. */
export type UnconfirmedTransmissions = {
  readonly cells: SharedUnconfirmedCounts
  readonly take: (deliveryId: string) => boolean
  readonly free: (n: number) => void
}

export const unconfirmedTransmissionsIn = (cells: SharedUnconfirmedCounts): UnconfirmedTransmissions => ({
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
