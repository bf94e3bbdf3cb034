import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Tenant } from './target.js'

/** The longest that somebody else waited for an answer, in milliseconds; how often was asked, and how often not answered well. */
export type Seen = { readonly longest: number; readonly asked: number; readonly failed: number }

/**
 * Another tenant's requests, forty a second, while an attack goes on. In a thread of its own, so that an attacker who is busy
 * with making requests does not look like a server that is.
 */
export const startWitness = (base: string, { projectId, key }: Tenant) => {
  const worker = new Worker(new URL('./witness-thread.js', import.meta.url), {
    workerData: { base, projectId, key },
    execArgv: [],
  })
  return {
    /** What was seen since the last time. */
    report: async (): Promise<Seen> => {
      worker.postMessage('report')
      const [seen] = (await once(worker, 'message')) as [Seen]
      return seen
    },
    stop: () => worker.terminate(),
  }
}
