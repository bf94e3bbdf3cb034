import { z } from 'zod'
import { assertNoViolations } from './refusal.js'
import { mostJsonLevels, mostJsonValues, type UnstorablePart, unstorableParts } from './storable.js'
import {
  fieldPathText,
  missingViolation,
  oncePerField,
  standaloneViolation,
  uncoveredViolations,
  unexpectedViolation,
  type Violation,
  wrongFieldViolation,
} from './violation.js'
import { issueMessage } from './zod-messages.js'

type Issue = z.core.$ZodIssue

/** Marks an issue whose message needs no field name before it. */
export const standaloneMessageMark = { standsAlone: true } as const
type Told = Issue & Partial<typeof standaloneMessageMark>

const ofIssue = (issue: Told): readonly Violation[] => {
  const field = fieldPathText(issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostWorded).map((key) => unexpectedViolation(fieldPathText([...issue.path, key])))
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [missingViolation(field)]
  return [issue.standsAlone ? standaloneViolation(field, issue.message) : wrongFieldViolation(field, issue.message)]
}

const reasons: Readonly<Record<Exclude<UnstorablePart['reason'], 'key'>, string>> = {
  character: 'contains a character that cannot be kept (U+0000 or half of a surrogate pair)',
  depth: `nested more than ${mostJsonLevels} levels deep`,
  width: `holds more than ${mostJsonValues} values`,
}

const ofFault = ({ path, reason }: UnstorablePart): Violation => {
  if (reason === 'key') return unexpectedViolation(fieldPathText(path))
  return wrongFieldViolation(fieldPathText(reason === 'depth' ? path.slice(0, 1) : path), reasons[reason])
}

/** No response names more violations. */
const mostWorded = 1_000

const unworded = (issues: readonly Issue[]): number =>
  issues.reduce(
    (sum, issue) => sum + (issue.code === 'unrecognized_keys' ? Math.max(0, issue.keys.length - mostWorded) : 0),
    Math.max(0, issues.length - mostWorded),
  )

type Checked<T> = {
  readonly data: T
  readonly wrong: readonly Violation[]
  readonly further: number
  readonly isStorable: boolean
}

const checked = <S extends z.ZodType>(schema: S, input: unknown): Checked<z.output<S>> => {
  const faults = unstorableParts(input)
  const isStorable = faults.length === 0
  const overwhelming = faults.find(({ reason }) => reason === 'width')
  if (overwhelming) return { data: undefined as z.output<S>, wrong: [ofFault(overwhelming)], further: 0, isStorable }
  const { data, error } = schema.safeParse(input, { reportInput: true, error: issueMessage })
  if (!error && isStorable) return { data: data as z.output<S>, wrong: [], further: 0, isStorable }
  const all = error?.issues ?? []
  const issues = all.slice(0, mostWorded).flatMap(ofIssue)
  const told = new Set(issues.map(({ field }) => field))
  const others = faults
    .slice(0, mostWorded)
    .map(ofFault)
    .filter(({ field }) => !told.has(field))
  const wrong = oncePerField([...issues, ...others])
  return { data: data as z.output<S>, wrong, further: unworded(all), isStorable }
}

/** Each value is named once; empty if valid. */
export const violationsOf = (schema: z.ZodType, input: unknown): readonly Violation[] => checked(schema, input).wrong

export const violationSentences = (schema: z.ZodType, input: unknown): readonly string[] =>
  violationsOf(schema, input).map(({ sentence }) => sentence)

/**
 * Validates all stored input. Also rejects texts that not every store returns unchanged, keys that lead to a
 * prototype, and JSON too deep or too wide.
 * @throws Refusal `invalid`, with every violation in one message
 */
export const parsed = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> => {
  const { data, wrong, further } = checked(schema, input)
  assertNoViolations(wrong, further)
  return data
}

/** Passes external data to a use case, which validates it by its schema. The only unchecked cast of external data. */
export const uncheckedInput = <Input>(bytes: unknown): Input => bytes as Input

/** The valid parts of a value. */
export type ValidParts<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? readonly (ValidParts<E> | undefined)[]
    : T extends object
      ? { readonly [K in keyof T]?: ValidParts<T[K]> | undefined }
      : T

const bare = (schema: z.core.$ZodType): z.core.$ZodType =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault
    ? bare(schema.unwrap())
    : schema instanceof z.ZodPipe
      ? bare(schema.in)
      : schema

const fittingParts = (schema: z.core.$ZodType, input: unknown): unknown => {
  const { success, data } = z.safeParse(schema, input)
  if (success) return data
  const kind = bare(schema)
  if (kind instanceof z.ZodArray && Array.isArray(input)) return input.map((one) => fittingParts(kind.element, one))
  if (!(kind instanceof z.ZodObject) || typeof input !== 'object' || input === null) return undefined
  const given: Readonly<Record<string, unknown>> = { ...input }
  return Object.fromEntries(Object.entries(kind.shape).map(([key, type]) => [key, fittingParts(type, given[key])]))
}

/** Undefined if no part is valid. */
export const partlyValidInput = <S extends z.ZodType>(schema: S, input: unknown): ValidParts<z.output<S>> | undefined =>
  fittingParts(schema, input) as ValidParts<z.output<S>> | undefined

/**
 * A rule between fields or against stored data. It checks the valid parts of an input, so that its violations are
 * reported with those of the schema; it must not report absent fields.
 */
export type InputRule<T> = (input: ValidParts<T>) => readonly Violation[] | Promise<readonly Violation[]>

const judged = async <S extends z.ZodType>(schema: S, input: unknown, rules: readonly InputRule<z.output<S>>[]) => {
  const shape = checked(schema, input)
  if (!shape.isStorable) return shape
  const parts = shape.wrong.length === 0 ? (shape.data as ValidParts<z.output<S>>) : partlyValidInput(schema, input)
  if (parts === undefined) return shape
  const broken = (await Promise.all(rules.map(async (rule) => rule(parts)))).flat()
  return { ...shape, wrong: oncePerField([...shape.wrong, ...uncoveredViolations(shape.wrong, broken)]) }
}

/** Names each value once. */
export const schemaViolationsOf = async <S extends z.ZodType>(
  schema: S,
  input: unknown,
  ...rules: readonly InputRule<z.output<S>>[]
): Promise<readonly Violation[]> => (await judged(schema, input, rules)).wrong

/** @throws Refusal `invalid`, with every violation of schema and rules */
export const parsedBy = async <S extends z.ZodType>(
  schema: S,
  input: unknown,
  ...rules: readonly InputRule<z.output<S>>[]
): Promise<z.output<S>> => {
  const { data, wrong, further } = await judged(schema, input, rules)
  assertNoViolations(wrong, further)
  return data
}

/** Runs a rule even if a field is invalid, so that all violations are reported together. */
export const runRuleEvenIfInvalid = {
  when: ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** For a message from the spec that stands alone, without the field's name before it. */
export const messageWithoutFieldName = (message: string) => ({
  error: (issue: object): string => {
    Object.assign(issue, standaloneMessageMark)
    return message
  },
})
