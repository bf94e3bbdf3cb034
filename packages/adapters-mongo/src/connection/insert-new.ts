import {
  type Collection,
  type Document,
  MongoBulkWriteError,
  MongoServerError,
  type OptionalUnlessRequiredId,
} from 'mongodb'

const duplicateKey = 11_000

const isOnlyDuplicates = (errors: readonly { readonly code: number }[]) =>
  errors.length > 0 && errors.every(({ code }) => code === duplicateKey)

/** Whether a unique key was taken, and nothing else was wrong: a batch whose connection was cut has no errors of its own, and failed. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError
    ? isOnlyDuplicates([error.writeErrors].flat()) && !error.result.getWriteConcernError()
    : error instanceof MongoServerError && error.code === duplicateKey

/** Adds the documents that the collection does not have; the others are left as they are. */
export const insertNew = async <T extends Document>(
  collection: Collection<T>,
  documents: readonly OptionalUnlessRequiredId<T>[],
): Promise<void> => {
  if (documents.length === 0) return
  try {
    await collection.insertMany(documents, { ordered: false })
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
}
