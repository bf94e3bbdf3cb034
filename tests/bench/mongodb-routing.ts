import type { SentMongoCommand } from '@posthorn/adapters-mongo'
import { shardKeys } from '@posthorn/adapters-mongo'

/** Where a router would send a command: to one shard, to those that some keys lie on, or to all. */
export type Route = 'one' | 'some' | 'all'

type Filter = Readonly<Record<string, unknown>>

const isFilter = (value: unknown): value is Filter =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The values that the filter names of the field; undefined where any would do. */
const valuesOf = (filter: Filter, field: string): readonly unknown[] | undefined => {
  const joined = Array.isArray(filter.$and) ? filter.$and.filter(isFilter) : []
  for (const one of [filter, ...joined]) {
    const asked = one[field]
    if (asked === undefined) continue
    if (!isFilter(asked)) return [asked]
    if (Object.hasOwn(asked, '$eq')) return [asked.$eq]
    if (Array.isArray(asked.$in)) return [...new Set(asked.$in)]
  }
  return undefined
}

/**
 * By the leading field of the shard key: what names it goes to one shard, or to those of its values; a hashed key is named as a whole or
 * not at all. Nothing is sharded but what the table says: that goes to its primary shard.
 */
const routeOf = (collection: string, filter: Filter): Route => {
  const key = shardKeys[collection]
  const [first] = Object.keys(key ?? {})
  if (!key || first === undefined) return 'one'
  const values = valuesOf(filter, first)
  if (values === undefined) return 'all'
  return values.length === 1 ? 'one' : 'some'
}

const worst = (routes: readonly Route[]): Route =>
  routes.includes('all') ? 'all' : routes.includes('some') || routes.length > 1 ? 'some' : 'one'

const matchOf = (pipeline: unknown): Filter => {
  const [first] = Array.isArray(pipeline) ? pipeline : []
  return isFilter(first) && isFilter(first.$match) ? first.$match : {}
}

/** What each part of the command is about. */
const filtersOf = ({ name, command }: SentMongoCommand): readonly unknown[] =>
  name === 'insert'
    ? command.documents
    : name === 'update'
      ? command.updates.map(({ q }: { readonly q: unknown }) => q)
      : name === 'delete'
        ? command.deletes.map(({ q }: { readonly q: unknown }) => q)
        : name === 'aggregate'
          ? [matchOf(command.pipeline)]
          : [command.filter ?? command.query ?? {}]

/** Where a value lies, as if each shard had every so many-th of them: the same for the same value. */
const shardFor = (value: unknown, shards: number): number => {
  let hash = 2_166_136_261
  for (const sign of JSON.stringify(value) ?? '') hash = Math.imul(hash ^ (sign.codePointAt(0) ?? 0), 16_777_619)
  return (hash >>> 0) % shards
}

/**
 * Which of so many shards, counted from 0, would be sent the command: by the values of the leading field of the shard key, and all where it
 * names none. What is not sharded lies on the first. Undefined for what concerns no collection.
 */
export const shardsOfCommand = (sent: SentMongoCommand, shards: number): readonly number[] | undefined => {
  const { name, collection } = sent
  if (collection === undefined || name === 'getMore') return undefined
  const [first] = Object.keys(shardKeys[collection] ?? {})
  if (first === undefined) return [0]
  const asked = new Set<number>()
  for (const filter of filtersOf(sent).filter(isFilter)) {
    const values = valuesOf(filter, first)
    if (values === undefined) return Array.from({ length: shards }, (_, n) => n)
    for (const value of values) asked.add(shardFor(value, shards))
  }
  return [...asked].sort((a, b) => a - b)
}

/** Where the command would go on a cluster that is sharded as the manual says; undefined for what concerns no collection. */
export const routeOfCommand = (sent: SentMongoCommand): Route | undefined => {
  const { name, collection } = sent
  if (collection === undefined || name === 'getMore') return undefined
  const filters = filtersOf(sent)
  const [first] = Object.keys(shardKeys[collection] ?? {})
  const routes = filters.filter(isFilter).map((filter) => routeOf(collection, filter))
  if (routes.length <= 1 || first === undefined) return routes.length === 0 ? undefined : worst(routes.slice(0, 1))
  // Several writes in one command: together they go where their values of the first field lie.
  if (routes.includes('all')) return 'all'
  const values = new Set(filters.filter(isFilter).map((filter) => JSON.stringify(filter[first])))
  return values.size === 1 && !routes.includes('some') ? 'one' : 'some'
}
