import type { Log } from '@posthorn/core'
import type { Step } from '../ledger/step.js'
import type { StepEnds } from './step-ends.js'

/** Delay in ms before the marks of finished steps are removed, so that many go together; far below the time that steps are kept. */
const tidyTime = 10_000

type Deps = { readonly ends: Pick<StepEnds, 'clear' | 'finished'>; readonly log: Log }

/** Collects this process's finished steps, and removes their marks together. */
export const tidying = ({ ends: { clear, finished }, log }: Deps) => {
  let done: Step[] = []
  let timer: NodeJS.Timeout | undefined
  let last: Promise<void> = Promise.resolve()

  const tidyAll = async (): Promise<void> => {
    if (done.length === 0) return
    const several = done
    done = []
    try {
      const mine = await finished(several)
      if (mine.length > 0) await clear(mine)
    } catch (error) {
      done = [...several, ...done]
      throw error
    }
  }

  const tidy = (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    last = last.catch(() => undefined).then(tidyAll)
    return last
  }

  const tidyLater = (step: Step): void => {
    done.push(step)
    timer ??= setTimeout(() => {
      tidy().catch((error: unknown) => log('warn', 'The marks of steps could not be removed yet', { error }))
    }, tidyTime).unref()
  }

  return {
    tidy,
    tidyLater,
    /** Finished steps whose marks are not removed yet. */
    done: (): readonly Step[] => done,
    end: () => clearTimeout(timer),
  }
}
export type Tidying = ReturnType<typeof tidying>
