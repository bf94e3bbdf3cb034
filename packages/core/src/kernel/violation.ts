/** An invalid value of an input. */
export type Violation = {
  /** `groups[0].name`; '' for the whole input. */
  readonly field: string
  /** Names the field. */
  readonly sentence: string
  readonly kind: 'missing' | 'unexpected' | 'wrong'
  /** The sentence without its field. */
  readonly problem?: string
}

export const fieldPathText = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    '',
  )

export const missingViolation = (field: string): Violation => ({
  field,
  sentence: `Missing required field: ${field}`,
  kind: 'missing',
})

export const unexpectedViolation = (field: string): Violation => ({
  field,
  sentence: `Unexpected field: ${field}`,
  kind: 'unexpected',
})

/** @param problem the rule and the actual value */
export const wrongFieldViolation = (field: string, problem: string): Violation => ({
  field,
  sentence: field === '' ? problem : `${field}: ${problem}`,
  kind: 'wrong',
  problem,
})

/** @param sentence from the spec; it needs no field name */
export const standaloneViolation = (field: string, sentence: string): Violation => ({ field, sentence, kind: 'wrong' })

export const nestedViolation = (outer: string, { field, sentence, kind, problem }: Violation): Violation => {
  const inner = field === '' ? outer : `${outer}.${field}`
  if (kind === 'unexpected') return unexpectedViolation(inner)
  if (kind === 'missing') return missingViolation(inner)
  return problem === undefined ? wrongFieldViolation(outer, sentence) : wrongFieldViolation(inner, problem)
}

/** The innermost last. */
const around = (field: string): readonly string[] =>
  [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index)).filter((outer) => outer !== '')

/** The first violation of each field. */
export const oncePerField = (violations: readonly Violation[]): readonly Violation[] => {
  const fields = new Set<string>()
  const sentences = new Set<string>()
  return violations.filter(({ field, sentence }) => {
    const isNew = !sentences.has(sentence) && (field === '' || !fields.has(field))
    fields.add(field)
    sentences.add(sentence)
    return isNew
  })
}

/**
 * Violations that no earlier one covers, by the value, a field around it or one inside. An unexpected field does not
 * cover the object around it.
 */
export const uncoveredViolations = (told: readonly Violation[], more: readonly Violation[]): readonly Violation[] => {
  const fields = new Set(told.map(({ field }) => field))
  const judged = new Set(told.flatMap(({ field, kind }) => (kind === 'unexpected' ? [] : around(field))))
  return more.filter(
    ({ field }) => !fields.has(field) && !judged.has(field) && !around(field).some((outer) => fields.has(outer)),
  )
}
