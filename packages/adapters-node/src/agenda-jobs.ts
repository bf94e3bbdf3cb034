import type { Jobs } from '@posthorn/core/ports/runtime'
import type { AgendaJobsOptions } from './agenda-scheduler.js'

/** Loads Agenda at the first planned or searched job: most commands need none. */
export const agendaJobs = (options: AgendaJobsOptions): Jobs => {
  const handlers: Parameters<Jobs['handle']>[] = []
  let loading: Promise<Jobs> | undefined

  const load = async (): Promise<Jobs> => {
    const { agendaScheduler } = await import('./agenda-scheduler.js')
    const scheduler = agendaScheduler(options)
    for (const handler of handlers) scheduler.handle(...handler)
    return scheduler
  }
  const loaded = () => {
    loading ??= load()
    return loading
  }

  return {
    at: async (...planned) => (await loaded()).at(...planned),
    cancel: async (key) => (await loaded()).cancel(key),
    every: async (...repeated) => (await loaded()).every(...repeated),
    handle: (...handler) => {
      handlers.push(handler)
      void loading?.then((scheduler) => scheduler.handle(...handler))
    },
    start: async () => (await loaded()).start(),
    stop: async () => (await loading)?.stop(),
  }
}
