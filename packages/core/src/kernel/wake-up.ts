/** Lets whoever looks for work sleep until whoever makes work wakes it. */
export const wakeUp = () => {
  let waking = new AbortController()
  return {
    /** Ends every sleep that began with `signal()`. */
    wake: (): void => {
      // Without a reason, an error with its stack is made for each.
      waking.abort('woken')
      waking = new AbortController()
    },
    /** Aborted by the next `wake`. */
    signal: (): AbortSignal => waking.signal,
  }
}
export type WakeUp = ReturnType<typeof wakeUp>
