/** The largest number in a command: servers such as DocumentDB refuse larger ones with an error. */
const largestInt32 = 2 ** 31 - 1
/** Documents in one reply; the driver fetches further batches of a longer list. */
const mostInBatch = 1_000

/** The options of a query for a page, with numbers that every server accepts: an infinite `limit` becomes the largest one. */
export const pageRange = ({ skip, limit }: { readonly skip: number; readonly limit: number }) => ({
  skip: Math.min(skip, largestInt32),
  limit: Math.min(limit, largestInt32),
  batchSize: Math.min(limit, mostInBatch),
})
