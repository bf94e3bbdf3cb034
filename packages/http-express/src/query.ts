type Value = string | readonly string[]

const filterKey = /^filter\[([^[\]]+)\]$/

const added = (to: Record<string, Value>, key: string, value: string) => {
  const before = to[key]
  to[key] = before === undefined ? value : [before, value].flat()
}

/**
 * The query of a URL: texts by key, those of `filter[field]` together by field. A key that is repeated has all of its values, for
 * its reader to refuse; brackets mean nothing anywhere else, so that no other key can become an object or a list. Node's own word for
 * a URL without a query is null.
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
