import { isDuplicateKey } from './duplicate-key.js'

/**
 * Upserts by `_id`. If another process inserts the same document at the same moment, the server refuses one of the two, which then
 * retries and finds the document.
 */
export const upserted = async <T>(upsert: () => Promise<T>): Promise<T> => {
  try {
    return await upsert()
  } catch (error) {
    if (!isDuplicateKey(error)) throw error
    return upsert()
  }
}
