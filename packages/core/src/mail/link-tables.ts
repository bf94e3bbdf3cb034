import { byteBoundedCache, byteBoundedLookup } from '../kernel/byte-bounded-cache.js'
import type { Clock, Files, Secrets } from '../kernel/ports.js'
import type { LinkTable } from './link-tracking.js'

type Deps = {
  readonly files: Pick<Files, 'get' | 'put'>
  readonly secrets: Pick<Secrets, 'sign' | 'digest'>
  readonly clock: Clock
}

export const linkFolder = 'links'
const keyOf = (id: string) => `${linkFolder}/${id}`
const noLinks = '0'.repeat(12)
const idOf = /^[0-9a-f]{12}$/

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** In ms. Tables in use are stored again, or they would be pruned. */
export const linkTableFreshTime = 24 * 60 * 60_000

/** In bytes. */
const [keptBytes, readBytes] = [2 * 1024 * 1024, 16 * 1024 * 1024]

/** Files: links work while the database is down (ADR 0041). The id is a keyed digest that no tenant can forge. */
export const linkTables = ({ files, secrets, clock }: Deps) => {
  const known = byteBoundedCache<string, { readonly id: string; readonly until: number }>({
    maxBytes: keptBytes,
    sizeOf: (key, { id }) => 2 * (key.length + id.length) + 16,
  })
  const read = byteBoundedLookup<LinkTable>({
    maxBytes: readBytes,
    largestEntry: readBytes / 4,
    sizeOf: (table) => 4 * JSON.stringify(table).length,
  })

  const missing = new Error('There is no such table.')
  const readFile = async (id: string): Promise<LinkTable> => {
    const bytes = await files.get(keyOf(id))
    if (!bytes) throw missing
    return JSON.parse(textOf(bytes)) as LinkTable
  }

  const keep = async (json: string): Promise<string> => {
    for (let attempt = 0; ; attempt += 1) {
      const id = secrets.digest(secrets.sign(`${attempt} ${json}`, 'tracking')).slice(0, 12)
      const there = await files.get(keyOf(id))
      if (there && textOf(there) !== json) continue
      await files.put(keyOf(id), bytesOf(json))
      return id
    }
  }

  return {
    /** Durable when it resolves. */
    keep: async (table: LinkTable): Promise<string> => {
      if (table.links.length === 0) return noLinks
      const json = JSON.stringify(table)
      const key = secrets.digest(json)
      const found = known.get(key)
      const now = clock().getTime()
      if (found && now < found.until) return found.id
      const id = await keep(json)
      known.set(key, { id, until: now + linkTableFreshTime })
      return id
    },

    read: async (id: string): Promise<LinkTable | undefined> => {
      if (!idOf.test(id) || id === noLinks) return undefined
      try {
        return await read(id, () => readFile(id))
      } catch (error) {
        if (error === missing) return undefined
        throw error
      }
    },
  }
}
export type LinkTables = ReturnType<typeof linkTables>
