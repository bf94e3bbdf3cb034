/** An invalid value of an input. */
export type Violation = {
  /** The path of the value: `groups[0].name`; '' for the input as a whole. */
  readonly field: string
  /** A sentence for the person who made the request; it names the field. */
  readonly sentence: string
  readonly kind: 'missing' | 'unexpected' | 'wrong'
  /** For an invalid value whose sentence begins with its field: the rest of the sentence. */
  readonly problem?: string
}

/** The path as text: `groups[0].name`. */
export const fieldAt = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    '',
  )

export const missing = (field: string): Violation => ({
  field,
  sentence: `Missing required field: ${field}`,
  kind: 'missing',
})

export const unexpected = (field: string): Violation => ({
  field,
  sentence: `Unexpected field: ${field}`,
  kind: 'unexpected',
})

/** @param problem the rule and the actual value */
export const wrongField = (field: string, problem: string): Violation => ({
  field,
  sentence: field === '' ? problem : `${field}: ${problem}`,
  kind: 'wrong',
  problem,
})

/** @param sentence a sentence of the spec, which names the field itself or needs no name */
export const standingAlone = (field: string, sentence: string): Violation => ({ field, sentence, kind: 'wrong' })

/** The violation of an input that is itself a field of another input. */
export const within = (outer: string, { field, sentence, kind, problem }: Violation): Violation => {
  const inner = field === '' ? outer : `${outer}.${field}`
  if (kind === 'unexpected') return unexpected(inner)
  if (kind === 'missing') return missing(inner)
  return problem === undefined ? wrongField(outer, sentence) : wrongField(inner, problem)
}

/** The fields that contain it, the innermost last. */
const around = (field: string): readonly string[] =>
  [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index)).filter((outer) => outer !== '')

/** The first violation of each field, so that a value with two faults is named once and no sentence is repeated. */
export const namedOnce = (violations: readonly Violation[]): readonly Violation[] => {
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
 * The violations of values that no earlier violation covers: neither the value itself, nor a field around it, nor one inside it. An
 * unexpected field does not cover the object around it, which is still checked.
 */
export const aboutOthers = (told: readonly Violation[], more: readonly Violation[]): readonly Violation[] => {
  const fields = new Set(told.map(({ field }) => field))
  const judged = new Set(told.flatMap(({ field, kind }) => (kind === 'unexpected' ? [] : around(field))))
  return more.filter(
    ({ field }) => !fields.has(field) && !judged.has(field) && !around(field).some((outer) => fields.has(outer)),
  )
}
