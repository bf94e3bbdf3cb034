import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb'
import { isDuplicateCode, isDuplicateKey } from './duplicate-key.js'

const isOnlyDuplicates = (errors: readonly { readonly code: number }[]) =>
  errors.length > 0 && errors.every(({ code }) => isDuplicateCode(code))

/** Whether taken unique keys are the only errors. False for a batch whose connection broke, which lists no errors of its documents. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError
    ? isOnlyDuplicates([error.writeErrors].flat()) && !error.result.getWriteConcernError()
    : isDuplicateKey(error)

/** Indexes of the documents of a batch that were not written because a unique key was taken. */
export const failedIn = (error: unknown): readonly number[] =>
  error instanceof MongoBulkWriteError ? [error.writeErrors].flat().map(({ index }) => index) : []

/** Adds the documents that the collection does not have yet, and skips the others. Returns whether all were new. */
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
