import type { Files } from '@posthorn/core/ports'

/** Bytes in memory, gone with the process. `keys` tells what is kept. */
export const inMemoryFiles = (): Files & { readonly keys: () => readonly string[] } => {
  const files = new Map<string, Uint8Array>()
  return {
    keys: () => [...files.keys()],
    put: async (key, bytes) => {
      files.set(key, bytes.slice())
    },
    get: async (key) => files.get(key)?.slice(),
    remove: async (key) => {
      for (const one of files.keys()) if (one === key || one.startsWith(`${key}/`)) files.delete(one)
    },
  }
}
