type Comparable = string | number | boolean | null | undefined

const rank = (value: Comparable) =>
  value === undefined || value === null ? 0 : typeof value === 'boolean' ? 1 : typeof value === 'number' ? 2 : 3

/** The order in which every store lists: absent and null first, then by value; texts by code unit. */
export const compare = (a: unknown, b: unknown): number => {
  const [left, right] = [a as Comparable, b as Comparable]
  const byRank = rank(left) - rank(right)
  if (byRank !== 0 || rank(left) === 0) return byRank
  return (left as string) < (right as string) ? -1 : (left as string) > (right as string) ? 1 : 0
}
