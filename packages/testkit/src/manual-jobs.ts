import type { Clock, Job, Jobs } from '@posthorn/core'

/** Jobs that run only when asked to, by the clock they are given. */
export type ManualJobs = Jobs & {
  /** Runs all jobs that are due, the earliest first; one that fails is tried again with the next call. */
  readonly runDue: () => Promise<void>
  /** What waits, the earliest first. */
  readonly waiting: () => readonly { readonly key: string; readonly when: Date; readonly job: Job }[]
}

export const manualJobs = (clock: Clock): ManualJobs => {
  const handlers = new Map<string, (data: Job['data']) => Promise<void>>()
  const planned = new Map<string, { when: Date; job: Job; every?: number }>()
  const inOrder = () => [...planned].sort(([, a], [, b]) => a.when.getTime() - b.when.getTime())

  const run = async (key: string) => {
    const entry = planned.get(key)
    const handler = entry && handlers.get(entry.job.name)
    if (!entry || !handler) return
    await handler(entry.job.data)
    if (planned.get(key) !== entry) return
    if (entry.every === undefined) planned.delete(key)
    else planned.set(key, { ...entry, when: new Date(clock().getTime() + entry.every * 1000) })
  }

  return {
    at: async (when, key, job) => {
      planned.set(key, { when, job })
    },
    cancel: async (key) => {
      planned.delete(key)
    },
    every: async (seconds, name) => {
      if (!planned.has(name)) planned.set(name, { when: clock(), job: { name, data: {} }, every: seconds })
    },
    handle: (name, handler) => {
      handlers.set(name, handler)
    },
    start: async () => {},
    stop: async () => {},
    runDue: async () => {
      for (const [key, { when }] of inOrder()) if (when <= clock()) await run(key)
    },
    waiting: () => inOrder().map(([key, { when, job }]) => ({ key, when, job })),
  }
}
