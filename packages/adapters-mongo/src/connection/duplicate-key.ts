import { MongoServerError } from 'mongodb'

/** Codes for a taken unique key; old servers and routers use the last two. https://www.mongodb.com/docs/manual/reference/error-codes/ */
const codes = new Set<unknown>([11_000, 11_001, 12_582])

export const isDuplicateCode = (code: unknown): boolean => codes.has(code)

/** Whether the server refused a write because a unique key is taken. */
export const isDuplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && isDuplicateCode(error.code)

/** The name of a unique key's index; MongoDB calls its own `_id_`. */
export const indexName = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === '_id' ? '_id_' : fields.join('_')

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one, n) => one === others[n])

/**
 * Returns the taken key: by the index pattern in the error, which most servers send, or by the index name as a separate word in the
 * message. Undefined if the error has neither.
 */
export const takenKey = (
  error: MongoServerError,
  keys: readonly (readonly string[])[],
): readonly string[] | undefined => {
  const pattern: unknown = error.keyPattern
  if (typeof pattern === 'object' && pattern !== null) {
    const fields = Object.keys(pattern)
    const key = keys.find((one) => isSame(one, fields))
    if (key) return key
  }
  const words = new Set(error.message.split(/[^\w$]+/))
  return keys.toSorted((a, b) => b.length - a.length).find((one) => words.has(indexName(one)))
}
