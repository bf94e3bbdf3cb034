/** Lets a loop that polls for work sleep until a producer wakes it. */
export const wakeUpSignal = () => {
  let waking = new AbortController()
  return {
    wake: (): void => {
      // Without a reason, each abort would create an error with its stack.
      waking.abort('woken')
      waking = new AbortController()
    },
    signal: (): AbortSignal => waking.signal,
  }
}
export type WakeUp = ReturnType<typeof wakeUpSignal>
