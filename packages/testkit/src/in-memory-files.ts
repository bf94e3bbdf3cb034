import type { Files } from '@posthorn/core'

/** Bytes in memory, gone with the process. */
export const inMemoryFiles = (): Files => {
  const files = new Map<string, Uint8Array>()
  return {
    put: async (key, bytes) => {
      files.set(key, bytes.slice())
    },
    get: async (key) => files.get(key)?.slice(),
    remove: async (key) => {
      for (const one of files.keys()) if (one === key || one.startsWith(`${key}/`)) files.delete(one)
    },
  }
}
