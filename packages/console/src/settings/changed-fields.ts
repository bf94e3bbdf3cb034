const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : typeof value === 'string' ? value : JSON.stringify(value)

export type ChangedField = {
  /** Empty if the value is no record. */
  readonly field: string
  readonly before: string | undefined
  readonly after: string | undefined
}

export const changedFields = (before: unknown, after: unknown): readonly ChangedField[] => {
  if (!isRecord(before ?? {}) || !isRecord(after ?? {}))
    return [{ field: '', before: textOf(before), after: textOf(after) }]
  const [earlier, later] = [before, after].map((one) => (isRecord(one) ? one : {}))
  return [...new Set([...Object.keys(later ?? {}), ...Object.keys(earlier ?? {})])].map((field) => ({
    field,
    before: textOf(earlier?.[field]),
    after: textOf(later?.[field]),
  }))
}
