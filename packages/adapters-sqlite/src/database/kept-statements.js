const mostKept = 50

/** Prepares statements of a connection, and caches the most recently used ones. */
export const keptStatements = (connection) => {
  const prepared = new Map()
  return (sql) => {
    const found = prepared.get(sql) ?? connection.prepare(sql)
    prepared.delete(sql)
    prepared.set(sql, found)
    if (prepared.size > mostKept) prepared.delete(prepared.keys().next().value)
    return found
  }
}
