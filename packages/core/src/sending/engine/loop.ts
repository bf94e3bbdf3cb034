import type { Log, Sleep } from '../../kernel/ports.js'

type Deps = { readonly sleep: Sleep; readonly log: Log }

/** How long a step rests that has failed. */
export const retryTime = 1_000

type Loop = {
  readonly name: string
  /** The rest after a step that answers that there was nothing to do, in milliseconds. */
  readonly pause: number
  readonly step: () => Promise<boolean>
  /** Ends the loop. */
  readonly signal: AbortSignal
  /** Ends the rest. */
  readonly early?: (() => AbortSignal) | undefined
}

/** Runs the step again and again; after an error, which is logged, with a pause. */
export const looping =
  ({ sleep, log }: Deps) =>
  async ({ name, pause, step, signal, early = () => signal }: Loop): Promise<void> => {
    while (!signal.aborted) {
      const rest = await step().then(
        (busy) => (busy ? 0 : pause),
        (error) => {
          log('error', `Sending: ${name} failed and will be tried again`, { error })
          return retryTime
        },
      )
      if (rest > 0 && !signal.aborted) await sleep(rest, early())
    }
  }
