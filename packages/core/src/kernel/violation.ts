/** What is wrong with one value of an input. */
export type Violation = {
  /** Where it stands: `groups[0].name`; '' for the input as a whole. */
  readonly field: string
  /** For the person who made the request, the field named in it. */
  readonly sentence: string
  /** It stands beside what is taken, so that what it stands in can be judged all the same. */
  readonly isExtra?: true
}

/** `groups[0].name` */
export const fieldAt = (path: readonly PropertyKey[]): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    '',
  )

export const missing = (field: string): Violation => ({ field, sentence: `Missing required field: ${field}` })

export const unexpected = (field: string): Violation => ({
  field,
  sentence: `Unexpected field: ${field}`,
  isExtra: true,
})

/** @param problem the rule, and what the value is instead */
export const wrongField = (field: string, problem: string): Violation => ({
  field,
  sentence: field === '' ? problem : `${field}: ${problem}`,
})

/** The violation of an input that stands itself in a field of another. */
export const within = (outer: string, { field, sentence }: Violation): Violation => {
  const inner = `${outer}.${field}`
  if (sentence === unexpected(field).sentence) return unexpected(inner)
  if (sentence === missing(field).sentence) return missing(inner)
  return sentence.startsWith(`${field}: `)
    ? wrongField(inner, sentence.slice(field.length + 2))
    : wrongField(outer, sentence)
}

/** The fields that it stands in, the nearest last. */
const around = (field: string): readonly string[] =>
  [...field.matchAll(/[.[]/g)].map(({ index }) => field.slice(0, index)).filter((outer) => outer !== '')

/** The first violation of each field: a value that is wrong in two ways is named once, and no sentence is told twice. */
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

/** Those that are about no value of which something is told already, be it the value, what it stands in, or something inside. */
export const aboutOthers = (told: readonly Violation[], more: readonly Violation[]): readonly Violation[] => {
  const fields = new Set(told.map(({ field }) => field))
  const judged = new Set(told.flatMap(({ field, isExtra }) => (isExtra ? [] : around(field))))
  return more.filter(
    ({ field }) => !fields.has(field) && !judged.has(field) && !around(field).some((outer) => fields.has(outer)),
  )
}
