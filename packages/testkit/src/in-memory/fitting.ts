import type { Scalar, Where, WhereValue } from '@posthorn/core/ports/storage'

const own = (object: unknown, key: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? (object as Readonly<Record<string, unknown>>)[key]
    : undefined

const valueAt = (record: object, path: string): unknown => {
  const dot = path.indexOf('.')
  return dot < 0 ? own(record, path) : own(own(record, path.slice(0, dot)), path.slice(dot + 1))
}

const isOne = (wanted: WhereValue): wanted is Scalar => !Array.isArray(wanted)

const meets = (wanted: WhereValue): ((stored: unknown) => boolean) => {
  if (wanted === undefined) return (stored) => stored === undefined
  const values: ReadonlySet<unknown> = new Set<unknown>(isOne(wanted) ? [wanted] : wanted)
  return (stored) => (Array.isArray(stored) ? stored.some((one) => values.has(one)) : values.has(stored))
}

/** Whether a record matches a `Where`: the only implementation in memory. */
export const fitting = <T extends object>(where: Where<T>): ((record: T) => boolean) => {
  const tests = Object.entries(where).map(([path, wanted]) => ({ path, met: meets(wanted as WhereValue) }))
  return (record) => tests.every(({ path, met }) => met(valueAt(record, path)))
}
