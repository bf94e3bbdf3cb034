import { type Collection, type Document, MongoBulkWriteError, type OptionalUnlessRequiredId } from 'mongodb'
import { isDuplicateCode, isDuplicateKey } from './duplicate-key.js'

const isOnlyDuplicates = (errors: readonly { readonly code: number }[]) =>
  errors.length > 0 && errors.every(({ code }) => isDuplicateCode(code))

/** Whether a unique key was taken, and nothing else was wrong: a batch whose connection was cut has no errors of its own, and failed. */
export const isDuplicate = (error: unknown): boolean =>
  error instanceof MongoBulkWriteError
    ? isOnlyDuplicates([error.writeErrors].flat()) && !error.result.getWriteConcernError()
    : isDuplicateKey(error)

/** Which documents of a batch, by their index in it, were not written, as a unique key was taken. */
export const failedIn = (error: unknown): readonly number[] =>
  error instanceof MongoBulkWriteError ? [error.writeErrors].flat().map(({ index }) => index) : []

/** Adds the documents that the collection does not have; the others are left as they are. Answers whether it had none of them. */
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
