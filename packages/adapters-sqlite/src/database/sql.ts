import type { SqlParameter } from './connection.js'

export type SqlFragment = { readonly text: string; readonly parameters: readonly SqlParameter[] }

/** Text of the code, such as a column's name: never of a request. */
export const rawSql = (text: string): SqlFragment => ({ text, parameters: [] })

const isFragment = (given: SqlFragment | SqlParameter): given is SqlFragment =>
  typeof given === 'object' && given !== null

/** Binds the values in the template; other fragments become part of it. */
export const sql = (texts: TemplateStringsArray, ...given: readonly (SqlFragment | SqlParameter)[]): SqlFragment => {
  const parameters: SqlParameter[] = []
  let text = texts[0] ?? ''
  for (const [n, one] of given.entries()) {
    if (isFragment(one)) parameters.push(...one.parameters)
    else parameters.push(one)
    text += (isFragment(one) ? one.text : '?') + texts[n + 1]
  }
  return { text, parameters }
}

/** `none` for no parts. */
export const joinedSql = (parts: readonly SqlFragment[], between: string, none = ''): SqlFragment => ({
  text: parts.map(({ text }) => text).join(between) || none,
  parameters: parts.flatMap(({ parameters }) => parameters),
})

export const sqlJoinedByAnd = (parts: readonly SqlFragment[]): SqlFragment => joinedSql(parts, ' AND ', '1')
