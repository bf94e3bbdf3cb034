import { z } from 'zod'
import { invalidInMany } from './refusal.js'
import { deepestJson, type StorageFault, storageFaults, widestJson } from './storable.js'
import {
  aboutOthers,
  fieldAt,
  missing,
  namedOnce,
  standingAlone,
  unexpected,
  type Violation,
  wrongField,
} from './violation.js'
import { wording } from './wording.js'

type Issue = z.core.$ZodIssue

/** What `sentence` leaves on an issue: its message needs no field before it. */
export const standsAlone = { standsAlone: true } as const
type Told = Issue & Partial<typeof standsAlone>

const ofIssue = (issue: Told): readonly Violation[] => {
  const field = fieldAt(issue.path)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, mostWorded).map((key) => unexpected(fieldAt([...issue.path, key])))
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [missing(field)]
  return [issue.standsAlone ? standingAlone(field, issue.message) : wrongField(field, issue.message)]
}

const reasons: Readonly<Record<Exclude<StorageFault['reason'], 'key'>, string>> = {
  character: 'contains a character that cannot be kept (U+0000 or half of a surrogate pair)',
  depth: `nested more than ${deepestJson} levels deep`,
  width: `holds more than ${widestJson} values`,
}

const ofFault = ({ path, reason }: StorageFault): Violation => {
  if (reason === 'key') return unexpected(fieldAt(path))
  return wrongField(fieldAt(reason === 'depth' ? path.slice(0, 1) : path), reasons[reason])
}

/** What is put into words of very many violations: more than any answer names. */
const mostWorded = 1_000

/** How many violations `sentences` leaves out. */
const unworded = (issues: readonly Issue[]): number =>
  issues.reduce(
    (sum, issue) => sum + (issue.code === 'unrecognized_keys' ? Math.max(0, issue.keys.length - mostWorded) : 0),
    Math.max(0, issues.length - mostWorded),
  )

/** What an input is as its schema reads it, and what is wrong with it. */
type Checked<T> = {
  readonly data: T
  readonly wrong: readonly Violation[]
  /** How many more there are, that were not even put into words. */
  readonly further: number
  /** Whether the stores could keep all of it. */
  readonly isStorable: boolean
}

const checked = <S extends z.ZodType>(schema: S, input: unknown): Checked<z.output<S>> => {
  const faults = storageFaults(input)
  const isStorable = faults.length === 0
  const overwhelming = faults.find(({ reason }) => reason === 'width')
  if (overwhelming) return { data: undefined as z.output<S>, wrong: [ofFault(overwhelming)], further: 0, isStorable }
  const { data, error } = schema.safeParse(input, { reportInput: true, error: wording })
  if (!error && isStorable) return { data: data as z.output<S>, wrong: [], further: 0, isStorable }
  const all = error?.issues ?? []
  const issues = all.slice(0, mostWorded).flatMap(ofIssue)
  const told = new Set(issues.map(({ field }) => field))
  const others = faults
    .slice(0, mostWorded)
    .map(ofFault)
    .filter(({ field }) => !told.has(field))
  const wrong = namedOnce([...issues, ...others])
  return { data: data as z.output<S>, wrong, further: unworded(all), isStorable }
}

/** What is wrong with the input, no value named twice; empty when it fits. */
export const violationsOf = (schema: z.ZodType, input: unknown): readonly Violation[] => checked(schema, input).wrong

/** The sentences of `violationsOf`. */
export const violations = (schema: z.ZodType, input: unknown): readonly string[] =>
  violationsOf(schema, input).map(({ sentence }) => sentence)

/** Every violation in one refusal. */
export const refusalOf = (wrong: readonly Violation[], further = 0) =>
  invalidInMany(
    wrong.map(({ sentence }) => sentence),
    further,
  )

/**
 * The input as the schema reads it. The one gate of all that is kept: texts that no store gives back as they are, keys that lead
 * to a prototype and JSON that is too deep or too wide are refused, wherever they stand in it.
 * @throws Refusal `invalid`, with every violation in one message: missing, unexpected and wrong fields alike.
 */
export const parsed = <S extends z.ZodType>(schema: S, input: unknown): z.output<S> => {
  const { data, wrong, further } = checked(schema, input)
  if (wrong.length > 0) throw refusalOf(wrong, further)
  return data
}

/**
 * What no compiler has seen, where the input of a use case is asked for: a body, the words of a command line. Nothing has looked at
 * it; the use case reads it by its schema, and refuses what does not fit. The one way in for a stranger's bytes.
 */
export const unparsed = <Input>(bytes: unknown): Input => bytes as Input

/** What of a value fits its schema: each field and each entry that does, by itself. */
export type Fitting<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends readonly (infer E)[]
    ? readonly (Fitting<E> | undefined)[]
    : T extends object
      ? { readonly [K in keyof T]?: Fitting<T[K]> | undefined }
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

/** What of the input fits; undefined where nothing does. */
export const fitting = <S extends z.ZodType>(schema: S, input: unknown): Fitting<z.output<S>> | undefined =>
  fittingParts(schema, input) as Fitting<z.output<S>> | undefined

/**
 * What else has to hold of an input than the shape of its fields: between them, or with what the project has. It is asked about what
 * fits, so that it is told together with what does not; what it lacks, it says nothing about.
 */
export type Rule<T> = (input: Fitting<T>) => readonly Violation[] | Promise<readonly Violation[]>

const judged = async <S extends z.ZodType>(schema: S, input: unknown, rules: readonly Rule<z.output<S>>[]) => {
  const shape = checked(schema, input)
  if (!shape.isStorable) return shape
  const parts = shape.wrong.length === 0 ? (shape.data as Fitting<z.output<S>>) : fitting(schema, input)
  if (parts === undefined) return shape
  const broken = (await Promise.all(rules.map(async (rule) => rule(parts)))).flat()
  return { ...shape, wrong: namedOnce([...shape.wrong, ...aboutOthers(shape.wrong, broken)]) }
}

/** What is wrong with the input by its schema and by the rules, no value named twice. */
export const violationsBy = async <S extends z.ZodType>(
  schema: S,
  input: unknown,
  ...rules: readonly Rule<z.output<S>>[]
): Promise<readonly Violation[]> => (await judged(schema, input, rules)).wrong

/** As `parsed`, with the rules. @throws Refusal `invalid`, with every violation of schema and rules in one message */
export const parsedBy = async <S extends z.ZodType>(
  schema: S,
  input: unknown,
  ...rules: readonly Rule<z.output<S>>[]
): Promise<z.output<S>> => {
  const { data, wrong, further } = await judged(schema, input, rules)
  if (wrong.length > 0) throw refusalOf(wrong, further)
  return data
}

/** For a rule between the fields of an object: it is asked although one of them is wrong, so that all violations come together. */
export const besideOthers = {
  when: ({ value }: { readonly value: unknown }): boolean =>
    typeof value === 'object' && value !== null && !Array.isArray(value),
}

/** For a schema's rule whose sentence of the spec stands alone in the message, without the field's name before it. */
export const sentence = (message: string) => ({
  error: (issue: object): string => {
    Object.assign(issue, standsAlone)
    return message
  },
})
