import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Tenant } from './target.js'

/** The longest that somebody else waited for an answer, in milliseconds; how often was asked, and how often not answered well. */
export type Seen = { readonly longest: number; readonly asked: number; readonly failed: number }

/**
 * Another tenant's requests, forty a second, while an attack goes on. In a process of its own, so that an attacker who is busy
 * with making requests does not look like a server that is.
 */
export const startWitness = (base: string, { projectId, key }: Tenant) => {
  const script = fileURLToPath(new URL('./witness-process.js', import.meta.url))
  const witness = fork(script, [base, projectId, key], { execArgv: [] })
  return {
    /** What was seen since the last time. */
    report: async (): Promise<Seen> => {
      witness.send('report')
      const [seen] = (await once(witness, 'message')) as [Seen]
      return seen
    },
    /** Runs `work` while no request of the witness waits: for measurements that stop the server themselves. */
    unobserved: async <T>(work: () => Promise<T>): Promise<T> => {
      witness.send('pause')
      await once(witness, 'message')
      try {
        return await work()
      } finally {
        witness.send('resume')
      }
    },
    stop: async () => {
      witness.disconnect()
      await once(witness, 'exit')
    },
  }
}
