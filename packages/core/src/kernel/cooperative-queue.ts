import { byteBoundedCache } from './byte-bounded-cache.js'
import { concurrencyLimiter } from './limiter.js'
import type { Sleep } from './ports.js'
import { type Repository, uncheckedWhere } from './repository.js'
import type { InProject } from './shapes.js'
import { jsonLengthUpTo } from './storable.js'

/** In characters: a step over a larger text blocks the main thread for some milliseconds. */
export const largeTextThreshold = 64 * 1024

/** Bytes for remembered sizes: about ten thousand. */
const maxBytes = 2 * 1024 * 1024

/** Runs steps over large texts one at a time, with other work in between. Projects take turns. */
export const cooperativeQueue = (sleep: Sleep) => {
  const steps = concurrencyLimiter({ total: 1 })
  const sizes = byteBoundedCache<string, number>({ maxBytes, sizeOf: (id) => id.length * 2 })

  const step = <T>(projectId: string, task: () => T | Promise<T>): Promise<T> =>
    steps.run(projectId, async () => {
      await sleep(0)
      return task()
    })

  return {
    step,

    /** Runs the step at once if `size`, in characters, is not large. */
    stepOver: async <T>(size: number, projectId: string, task: () => T | Promise<T>): Promise<T> =>
      size > largeTextThreshold ? step(projectId, task) : task(),

    /** Reads a record of the project, queued unless its document was small when last read. */
    get: async <T extends InProject & { readonly document?: unknown }>(
      repository: Pick<Repository<T>, 'get'>,
      _id: string,
      projectId: string,
    ): Promise<T | undefined> => {
      const read = () => repository.get(uncheckedWhere<InProject, T>({ _id, projectId }))
      const isSmall = (sizes.get(_id) ?? Number.POSITIVE_INFINITY) <= largeTextThreshold
      const found = await (isSmall ? read() : step(projectId, read))
      sizes.set(_id, jsonLengthUpTo(found?.document, largeTextThreshold))
      return found
    },
  }
}
export type CooperativeQueue = ReturnType<typeof cooperativeQueue>
