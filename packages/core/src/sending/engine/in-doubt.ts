/** Mails that are handed over and not yet durably recorded: all that a crash may send twice. */
const mostInDoubt = 200

const [taken, limit] = [0, 1]

/** How many mails of a channel are in doubt, and may be, in memory that threads share. */
export type InDoubtCells = Int32Array<SharedArrayBuffer>

/** The mails of a channel that are in doubt: each takes a place before it is handed over, and has it until its outcome is durable. */
export type InDoubt = {
  /** What threads need to count the same mails. */
  readonly cells: InDoubtCells
  /** Whether there was a place for that mail. */
  readonly take: (deliveryId: string) => boolean
  /** So many outcomes have become durable. */
  readonly free: (n: number) => void
}

/** As `inDoubt`, counted in these cells by others as well. */
export const inDoubtIn = (cells: InDoubtCells): InDoubt => ({
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

/** @param concurrency what the channel's mailer takes at once, which may be more */
export const inDoubt = (concurrency: number): InDoubt => {
  const cells = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  cells[limit] = Math.max(mostInDoubt, concurrency)
  return inDoubtIn(cells)
}
