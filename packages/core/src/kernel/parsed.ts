import type { z } from 'zod'
import { invalid } from './refusal.js'

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
    return issue.keys.map((key) => `Unexpected field: ${at([...issue.path, key])}`)
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [`Missing required field: ${field}`]
  if (whole.has(issue.message)) return [issue.message]
  return [field === '' ? issue.message : `${field}: ${issue.message}`]
}

/** What is wrong with the input, one sentence per violation, none twice; empty when it fits. */
export const violations = (schema: z.ZodType, input: unknown): readonly string[] => {
  const result = schema.safeParse(input, { reportInput: true })
  return result.success ? [] : [...new Set(result.error.issues.flatMap(sentences))]
}

/**
 * The input as the schema reads it.
 * @throws Refusal `invalid`, with every violation in one message: missing, unexpected and wrong fields alike.
 */
export const parsed = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> => {
  const result = schema.safeParse(input, { reportInput: true })
  if (result.success) return result.data
  throw invalid(...new Set(result.error.issues.flatMap(sentences)))
}

/** A rule whose sentence of the spec stands alone in the message, without the field's name before it. */
export const sentence = (message: string) => {
  whole.add(message)
  return { error: message }
}
