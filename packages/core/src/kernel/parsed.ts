import type { z } from 'zod'
import { invalidInMany } from './refusal.js'
import { deepestJson, type StorageFault, storageFaults, widestJson } from './storable.js'

type Issue = z.core.$ZodIssue

const at = (path: readonly PropertyKey[]) =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text ? `${text}.${String(part)}` : String(part)),
    '',
  )

/** Sentences of the spec, which stand alone in a message. */
const whole = new Set<string>()

const sentences = (issue: Issue): readonly string[] => {
  const field = at(issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostWorded).map((key) => `Unexpected field: ${at([...issue.path, key])}`)
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [`Missing required field: ${field}`]
  if (whole.has(issue.message)) return [issue.message]
  return [field === '' ? issue.message : `${field}: ${issue.message}`]
}

const reasons: Readonly<Record<Exclude<StorageFault['reason'], 'key'>, string>> = {
  character: 'contains a character that cannot be kept (U+0000 or half of a surrogate pair)',
  depth: `nested more than ${deepestJson} levels deep`,
  width: `holds more than ${widestJson} values`,
}

const faultSentence = ({ path, reason }: StorageFault): string => {
  if (reason === 'key') return `Unexpected field: ${at(path)}`
  const field = at(reason === 'depth' ? path.slice(0, 1) : path)
  return field === '' ? reasons[reason] : `${field}: ${reasons[reason]}`
}

/** What is put into words of very many violations: more than any answer names. */
const mostWorded = 1_000

/** How many violations `sentences` leaves out. */
const unworded = (issues: readonly Issue[]): number =>
  issues.reduce(
    (sum, issue) => sum + (issue.code === 'unrecognized_keys' ? Math.max(0, issue.keys.length - mostWorded) : 0),
    Math.max(0, issues.length - mostWorded),
  )

const checked = <S extends z.ZodType>(schema: S, input: unknown) => {
  const faults = storageFaults(input)
  const overwhelming = faults.find(({ reason }) => reason === 'width')
  if (overwhelming) return { data: undefined as z.output<S>, wrong: [faultSentence(overwhelming)], further: 0 }
  const { data, error } = schema.safeParse(input, { reportInput: true })
  const all = error?.issues ?? []
  const issues = all.slice(0, mostWorded)
  const told = new Set(issues.map(({ path }) => at(path)))
  const others = faults.slice(0, mostWorded).filter(({ path }) => !told.has(at(path)))
  const wrong = [...issues.flatMap(sentences), ...others.map(faultSentence)]
  return { data: data as z.output<S>, wrong: [...new Set(wrong)], further: unworded(all) }
}

/** What is wrong with the input, one sentence per violation, none twice; empty when it fits. */
export const violations = (schema: z.ZodType, input: unknown): readonly string[] => checked(schema, input).wrong

/**
 * The input as the schema reads it. The one gate of all that is kept: texts that no store gives back as they are, keys that lead
 * to a prototype and JSON that is too deep or too wide are refused, wherever they stand in it.
 * @throws Refusal `invalid`, with every violation in one message: missing, unexpected and wrong fields alike.
 */
export const parsed = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> => {
  const { data, wrong, further } = checked(schema, input)
  if (wrong.length > 0) throw invalidInMany(wrong, further)
  return data
}

/** A rule whose sentence of the spec stands alone in the message, without the field's name before it. */
export const sentence = (message: string) => {
  whole.add(message)
  return { error: message }
}
