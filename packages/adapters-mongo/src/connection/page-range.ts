/** What a command of the protocol takes: servers such as DocumentDB refuse a larger number with an error. */
const largestInt32 = 2 ** 31 - 1
/** Documents that one reply brings at most; the driver fetches the rest of a longer list. */
const mostInBatch = 1_000

/** The options of a query for a page, whatever numbers were asked for: a list without an end has the largest `limit` that there is. */
export const pageRange = ({ skip, limit }: { readonly skip: number; readonly limit: number }) => ({
  skip: Math.min(skip, largestInt32),
  limit: Math.min(limit, largestInt32),
  batchSize: Math.min(limit, mostInBatch),
})
