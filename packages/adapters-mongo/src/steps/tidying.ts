import type { Log } from '@posthorn/core'
import type { Step } from '../ledger/step.js'
import type { StepEnds } from './step-ends.js'

/** How long the marks of steps that are done may stay, well within the time that steps are kept, so that those of many go together. */
const tidyTime = 10_000

type Deps = { readonly ends: Pick<StepEnds, 'clear' | 'finished'>; readonly log: Log }

/** Steps of this process that are done, whose marks go together. */
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

  /** Its marks go with those of others. */
  const tidyLater = (step: Step): void => {
    done.push(step)
    timer ??= setTimeout(() => {
      tidy().catch((error: unknown) => log('warn', 'The marks of steps could not be removed yet', { error }))
    }, tidyTime).unref()
  }

  return {
    tidy,
    tidyLater,
    /** Those whose marks are still there. */
    done: (): readonly Step[] => done,
    end: () => clearTimeout(timer),
  }
}
export type Tidying = ReturnType<typeof tidying>
