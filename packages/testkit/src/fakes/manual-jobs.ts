import type { Job, Jobs } from '@posthorn/core/ports/runtime'
import type { FixedClock } from './fixed-clock.js'

/** Jobs run only when a test moves the clock or calls `runDue`. */
export type ManualJobs = Jobs & {
  /** Runs due jobs in sequence, earliest first, even before the start; waits for running ones. */
  readonly runDue: () => Promise<void>
  /** The waiting jobs, the earliest first. */
  readonly waiting: () => readonly { readonly key: string; readonly when: Date; readonly job: Job }[]
  /** The errors that jobs threw; each failed job is retried. */
  readonly failures: readonly unknown[]
}

type Plan = {
  readonly key: string
  readonly when: number
  readonly job: Job
  readonly seconds?: number
  readonly failures: number
}

/** In ms: 10 s, doubled after each failure. */
const backOff = (failures: number) => 10_000 * 2 ** (failures - 1)

/** Runs jobs only once started. Retries failed ones with back-off. */
export const manualJobs = (clock: Pick<FixedClock, 'now' | 'ring'>): ManualJobs => {
  const handlers = new Map<string, (data: Job['data']) => Promise<void>>()
  const plans = new Map<string, { readonly plan: Plan; readonly takeBack: () => void }>()
  const running = new Map<Plan, Promise<void>>()
  const failures: unknown[] = []
  let started = false

  const time = () => clock.now().getTime()
  const inOrder = () => [...plans.values()].map(({ plan }) => plan).sort((a, b) => a.when - b.when)
  const due = () => inOrder().filter(({ when }) => when <= time())

  const forget = (key: string) => {
    plans.get(key)?.takeBack()
    plans.delete(key)
  }

  const put = (plan: Plan) => {
    forget(plan.key)
    plans.set(plan.key, { plan, takeBack: clock.ring(new Date(plan.when), () => started && begin(plan)) })
    if (started && plan.when <= time()) begin(plan)
  }

  /** Does nothing if the plan was replaced or cancelled while it ran. */
  const after = (plan: Plan, next: Plan | undefined) => {
    if (plans.get(plan.key)?.plan !== plan) return
    if (next) put(next)
    else forget(plan.key)
  }

  const run = async (plan: Plan, handler: (data: Job['data']) => Promise<void>) => {
    const { job, seconds, failures: before } = plan
    try {
      await handler({ ...job.data })
      after(plan, seconds === undefined ? undefined : { ...plan, when: time() + seconds * 1000, failures: 0 })
    } catch (error) {
      failures.push(error)
      after(plan, { ...plan, when: time() + backOff(before + 1), failures: before + 1 })
    } finally {
      running.delete(plan)
    }
  }

  /** A job without a handler waits until one is registered. */
  const begin = (plan: Plan) => {
    const handler = handlers.get(plan.job.name)
    if (handler && !running.has(plan)) running.set(plan, run(plan, handler))
  }

  return {
    at: async (when, key, job) => put({ key, when: when.getTime(), job: structuredClone(job), failures: 0 }),
    cancel: async (key) => forget(key),
    every: async (seconds, name) => {
      if (plans.get(name)?.plan.seconds !== seconds)
        put({ key: name, when: time(), job: { name, data: {} }, seconds, failures: 0 })
    },
    handle: (name, handler) => {
      handlers.set(name, handler)
    },
    start: async () => {
      started = true
      due().forEach(begin)
    },
    stop: async () => {
      started = false
      await Promise.all(running.values())
    },
    runDue: async () => {
      for (const plan of due()) {
        begin(plan)
        await running.get(plan)
      }
      await Promise.all(running.values())
    },
    waiting: () => inOrder().map(({ key, when, job }) => ({ key, when: new Date(when), job })),
    failures,
  }
}
