import type { Files } from '../../kernel/ports.js'
import { blocked } from '../../kernel/refusal.js'

const folder = 'contact-imports'
const folderOf = (importId: string) => `${folder}/${importId}`
const pieceOf = (importId: string, n: number) => `${folderOf(importId)}/file/${n}`
const errorsOf = (importId: string, n: number) => `${folderOf(importId)}/errors/${n}`

/** Bytes of a stored piece, and of a part of it that is read at once. */
const [pieceSize, readSize] = [1_048_576, 65_536]

/** Holds at most one piece of a file in memory. */
export const importFileStorage = (files: Files) => ({
  /** Returns the size; if the source fails, removes what is stored. */
  write: async (importId: string, bytes: AsyncIterable<Uint8Array>): Promise<number> => {
    let piece = new Uint8Array(pieceSize)
    let [used, pieces] = [0, 0]
    const flush = async () => {
      await files.put(pieceOf(importId, pieces), piece.subarray(0, used))
      piece = new Uint8Array(pieceSize)
      pieces += 1
      used = 0
    }
    try {
      for await (const chunk of bytes)
        for (let from = 0; from < chunk.length; ) {
          const part = chunk.subarray(from, from + pieceSize - used)
          piece.set(part, used)
          used += part.length
          from += part.length
          if (used === pieceSize) await flush()
        }
      const size = pieces * pieceSize + used
      if (used > 0) await flush()
      return size
    } catch (error) {
      await files.remove(folderOf(importId))
      throw error
    }
  },

  /** @throws Refusal `blocked` if it was deleted */
  read: ({ _id, size }: { readonly _id: string; readonly size: number }) =>
    async function* (): AsyncGenerator<Uint8Array> {
      for (let n = 0; n * pieceSize < size; n += 1) {
        const piece = await files.get(pieceOf(_id, n))
        if (!piece) throw blocked('The uploaded file was deleted.')
        for (let from = 0; from < piece.length; from += readSize) yield piece.subarray(from, from + readSize)
      }
    },

  writeErrors: (importId: string, page: number, text: string) =>
    files.put(errorsOf(importId, page), new TextEncoder().encode(text)),

  readErrors: async (importId: string, page: number): Promise<string | undefined> => {
    const bytes = await files.get(errorsOf(importId, page))
    return bytes && new TextDecoder().decode(bytes)
  },

  /** Keeps the failed rows. */
  removeFile: (importId: string) => files.remove(`${folderOf(importId)}/file`),

  removeAll: (importId: string) => files.remove(folderOf(importId)),

  prune: (before: Date) => files.prune(folder, before),
})
export type ImportFileStorage = ReturnType<typeof importFileStorage>
