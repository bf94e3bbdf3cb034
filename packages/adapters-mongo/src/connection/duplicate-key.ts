import { MongoServerError } from 'mongodb'

/** A unique key is taken; the last two are what old servers and routers say. https://www.mongodb.com/docs/manual/reference/error-codes/ */
const codes = new Set<unknown>([11_000, 11_001, 12_582])

export const isDuplicateCode = (code: unknown): boolean => codes.has(code)

/** Whether the server refused a write, as a unique key is taken. */
export const isDuplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && isDuplicateCode(error.code)

/** What the index of a unique key is called; MongoDB's own is `_id_`. */
export const indexName = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === '_id' ? '_id_' : fields.join('_')

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one, n) => one === others[n])

/**
 * Which of the keys a duplicate is of: by the pattern of the index, which servers of the protocol answer; where one does not, by the
 * name of the index, as a word of its own in the message, whatever the wording. Undefined where neither tells.
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
