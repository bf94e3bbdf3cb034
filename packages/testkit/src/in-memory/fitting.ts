import {
  type ContainingText,
  isContainingText,
  isStorableText,
  type Scalar,
  type Where,
  type WhereValue,
} from '@posthorn/core/ports/storage'

const own = (object: unknown, key: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? (object as Readonly<Record<string, unknown>>)[key]
    : undefined

const valueAt = (record: object, path: string): unknown => {
  const dot = path.indexOf('.')
  return dot < 0 ? own(record, path) : own(own(record, path.slice(0, dot)), path.slice(dot + 1))
}

const isOne = (wanted: WhereValue): wanted is Scalar => !Array.isArray(wanted)

const contains = ({ containing: text }: ContainingText) => {
  const part = text.toLowerCase()
  return (one: unknown) => typeof one === 'string' && isStorableText(text) && one.toLowerCase().includes(part)
}

const metBy = (wanted: Exclude<WhereValue, undefined>): ((one: unknown) => boolean) => {
  if (isContainingText(wanted)) return contains(wanted)
  const values: ReadonlySet<unknown> = new Set<unknown>(isOne(wanted) ? [wanted] : wanted)
  return (one) => values.has(one)
}

const meets = (wanted: WhereValue): ((stored: unknown) => boolean) => {
  if (wanted === undefined) return (stored) => stored === undefined
  const met = metBy(wanted)
  return (stored) => (Array.isArray(stored) ? stored.some(met) : met(stored))
}

/** The only implementation in memory. */
export const whereMatcher = <T extends object>(where: Where<T>): ((record: T) => boolean) => {
  const tests = Object.entries(where).map(([path, wanted]) => ({ path, met: meets(wanted as WhereValue) }))
  return (record) => tests.every(({ path, met }) => met(valueAt(record, path)))
}
