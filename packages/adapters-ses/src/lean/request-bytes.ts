/** A reused buffer: each request is written before the next is composed. */
export type RequestBytes = {
  /** Loses earlier content. */
  readonly atLeast: (size: number) => Buffer
}

/** In bytes: most mails are smaller. */
const largestKept = 128 * 1024
const smallest = 32 * 1024

export const requestBytes = (): RequestBytes => {
  let kept: Buffer | undefined
  return {
    atLeast: (size) => {
      if (size > largestKept) return Buffer.allocUnsafeSlow(size)
      if (kept === undefined || kept.length < size)
        kept = Buffer.allocUnsafeSlow(Math.max(smallest, size + (size >> 2)))
      return kept
    },
  }
}
