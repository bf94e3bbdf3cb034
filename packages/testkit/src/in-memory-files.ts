import type { Files } from '@posthorn/core'

/** Files in memory. */
export const inMemoryFiles = (): Files => {
  const files = new Map<string, Uint8Array>()
  return {
    put: async (key, bytes) => {
      files.set(key, Uint8Array.from(bytes))
    },
    get: async (key) => {
      const bytes = files.get(key)
      return bytes && Uint8Array.from(bytes)
    },
    remove: async (key) => {
      for (const other of files.keys()) if (other === key || other.startsWith(`${key}/`)) files.delete(other)
    },
  }
}
