/** Bytes that requests are made in, one after the other: a request is gone before the next one is made. */
export type RequestBytes = {
  /** At least so many; what was in them before is not kept. */
  readonly atLeast: (size: number) => Buffer
}

/** What is larger is not kept: most mails are smaller. */
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
