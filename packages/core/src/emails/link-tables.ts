import { byteBoundedCache } from '../kernel/byte-bounded-cache.js'
import { cachedAnswers } from '../kernel/cached-answers.js'
import type { Clock, Files, Secrets } from '../kernel/ports.js'
import type { LinkTable } from './tracked-template.js'

type Deps = {
  readonly files: Pick<Files, 'get' | 'put'>
  readonly secrets: Pick<Secrets, 'sign' | 'digest'>
  readonly clock: Clock
}

/** Where tables lie among the files. */
export const linkFolder = 'links'
const keyOf = (id: string) => `${linkFolder}/${id}`
/** Of a table without links: nothing is kept of it. */
const noLinks = '0'.repeat(12)
const idOf = /^[0-9a-f]{12}$/

const bytesOf = (text: string) => new TextEncoder().encode(text)
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

/** A table that mails go on linking by is put again after so long, so that it is not pruned. In milliseconds. */
export const freshFor = 24 * 60 * 60_000

/** Of ids that were kept lately, and of tables that were read lately. */
const [keptBytes, readBytes] = [2 * 1024 * 1024, 16 * 1024 * 1024]

/**
 * Where links lead, kept beside the store and once for each distinct table, so that a link still leads there when the store is down
 * (ADR 0041). Its id is a keyed digest: nobody makes a table that takes the place of somebody else's.
 */
export const linkTables = ({ files, secrets, clock }: Deps) => {
  const known = byteBoundedCache<string, { readonly id: string; readonly until: number }>({
    maxBytes: keptBytes,
    sizeOf: (key, { id }) => 2 * (key.length + id.length) + 16,
  })
  const read = cachedAnswers<LinkTable>({
    maxBytes: readBytes,
    largestEntry: readBytes / 4,
    sizeOf: (table) => 4 * JSON.stringify(table).length,
  })

  /** What is missing is not remembered. */
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
    /** Durable when it resolves; answers the table's id, 12 hexadecimal digits. */
    keep: async (table: LinkTable): Promise<string> => {
      if (table.links.length === 0) return noLinks
      const json = JSON.stringify(table)
      const key = secrets.digest(json)
      const found = known.get(key)
      const now = clock().getTime()
      if (found && now < found.until) return found.id
      const id = await keep(json)
      known.set(key, { id, until: now + freshFor })
      return id
    },

    /** Undefined where there is none. Asks the files, never the store. */
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
