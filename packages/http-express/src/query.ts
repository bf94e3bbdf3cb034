type Value = string | readonly string[]

const filterKey = /^filter\[([^[\]]+)\]$/

const added = (to: Record<string, Value>, key: string, value: string) => {
  const before = to[key]
  to[key] = before === undefined ? value : [before, value].flat()
}

/**
 * Parses the query of a URL: strings by key, those of `filter[field]` by field under `filter`. A repeated key has an array, which its
 * schema refuses. Brackets mean nothing in other keys, so no other key can become an object or a list. Node passes null for a URL without a
 * query.
 */
export const readQuery = (text: string | null | undefined): Readonly<Record<string, unknown>> => {
  const query: Record<string, Value> = Object.create(null)
  const filter: Record<string, Value> = Object.create(null)
  for (const [key, value] of new URLSearchParams(text ?? '')) {
    const field = filterKey.exec(key)?.[1]
    if (field === undefined) added(query, key, value)
    else added(filter, field, value)
  }
  return query.filter !== undefined || Object.keys(filter).length === 0 ? query : { ...query, filter }
}
