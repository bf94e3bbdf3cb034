import type { Clock, Files } from '@posthorn/core/ports/runtime'

/** Files in memory. `keys` returns the keys of stored files. */
export const inMemoryFiles = (clock: Clock = () => new Date()): Files & { readonly keys: () => readonly string[] } => {
  const files = new Map<string, Uint8Array>()
  const putAt = new Map<string, number>()
  const below = (key: string) => [...files.keys()].filter((one) => one.startsWith(`${key}/`))
  return {
    keys: () => [...files.keys()],
    put: async (key, bytes) => {
      files.set(key, bytes.slice())
      putAt.set(key, clock().getTime())
    },
    get: async (key) => files.get(key)?.slice(),
    remove: async (key) => {
      for (const one of files.keys()) if (one === key || one.startsWith(`${key}/`)) files.delete(one)
    },
    each: async function* (key, { since, wanted = () => true } = {}) {
      for (const one of below(key)) {
        if (since && (putAt.get(one) ?? 0) < since.getTime()) continue
        const bytes = wanted(one) ? files.get(one) : undefined
        if (bytes) yield { key: one, bytes: bytes.slice() }
      }
    },
    prune: async (key, before) => {
      const old = below(key).filter((one) => (putAt.get(one) ?? 0) < before.getTime())
      for (const one of old) files.delete(one)
      return old.length
    },
  }
}
