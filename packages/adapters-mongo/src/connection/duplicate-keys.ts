import {
  type Collection,
  type Document,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
} from 'mongodb'

/** Old servers and routers use the last two. https://www.mongodb.com/docs/manual/reference/error-codes/ */
const codes = new Set<unknown>([11_000, 11_001, 12_582])

export const isDuplicateCode = (code: unknown): boolean => codes.has(code)

export const isDuplicateKey = (error: unknown): error is MongoServerError =>
  error instanceof MongoServerError && isDuplicateCode(error.code)

/** The name of a unique key's index; MongoDB calls its own `_id_`. */
export const indexName = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] === '_id' ? '_id_' : fields.join('_')

const isSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length && some.every((one, n) => one === others[n])

/** The taken key, by the index pattern in the error or the index name in its message. */
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

const isOnlyDuplicates = (errors: readonly { readonly code: number }[]) =>
  errors.length > 0 && errors.every(({ code }) => isDuplicateCode(code))

/** Whether taken keys are the only errors; false if the connection broke. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError
    ? isOnlyDuplicates([error.writeErrors].flat()) && !error.result.getWriteConcernError()
    : isDuplicateKey(error)

export const unwrittenDocumentPositions = (error: unknown): readonly number[] =>
  error instanceof MongoBulkWriteError ? [error.writeErrors].flat().map(({ index }) => index) : []

/** Skips existing documents; returns whether all were new. */
export const insertNew = async <T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<boolean> => {
  if (documents.length === 0) return true
  try {
    await collection.insertMany(documents, { ordered: false })
    return true
  } catch (error) {
    if (!isDuplicate(error)) throw error
    return false
  }
}
