import { z } from 'zod'
import { Present } from '../kernel/shapes.js'
import { baseDesignSystem } from './base-design-system.js'
import { type Override, sameEntry } from './design-system.js'
import { type Category, categories, type DesignEntry, type EntryKey, keysOf, valueSchema } from './design-values.js'

const everyCategory = Object.keys(categories) as [Category, ...Category[]]
const everyKey = [...new Set(everyCategory.flatMap(keysOf))]

const entryKey = {
  category: z.enum(everyCategory).meta({ description: 'Which part of the design system' }),
  key: z.enum(everyKey).meta({
    description: everyCategory.map((category) => `${category}: ${keysOf(category).join(', ')}`).join('; '),
  }),
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[^\p{Cc}\]]+$/u, 'expected a name without control characters and ]')
    .meta({ description: 'Of the entry, as the design system shows it; font takes new names, too' }),
}

const baseNames = ({ category, key }: EntryKey): readonly string[] =>
  ((baseDesignSystem[category] as Readonly<Record<string, readonly DesignEntry[]>>)[key] ?? []).map(({ name }) => name)

type Violation = { readonly path: readonly PropertyKey[]; readonly message: string }

const keyViolations = ({ category, key }: EntryKey): readonly Violation[] =>
  keysOf(category).includes(key)
    ? []
    : [{ path: ['key'], message: `expected one of ${keysOf(category).join(', ')} in ${category}` }]

const nameViolations = (one: EntryKey): readonly Violation[] => {
  const { category, key, name } = one
  return category === 'font' || !keysOf(category).includes(key) || baseNames(one).includes(name)
    ? []
    : [{ path: ['name'], message: `the design system has no ${name} in ${category}.${key}` }]
}

const valueViolations = ({ category, key, value }: EntryKey & { readonly value: unknown }): readonly Violation[] =>
  (valueSchema(category, key)?.safeParse(value).error?.issues ?? []).map(({ path, message }) => ({
    path: ['value', ...path],
    message,
  }))

const fits =
  <T>(violations: (given: T) => readonly Violation[]) =>
  ({ value, issues }: z.core.ParsePayload): void => {
    for (const { path, message } of violations(value as T))
      issues.push({ code: 'custom', path: [...path], input: value, message })
  }

const SetOverride = z
  .strictObject({
    ...entryKey,
    value: Present.meta({
      description:
        'colors: #rrggbb; stacks: a font stack; images, links, resources: a URL; texts: a text, or for components a style',
    }),
    main: z.boolean().optional().meta({ description: 'Makes it the main entry of its group, instead of another' }),
    description: z.string().max(500).optional().meta({ description: 'Absent: the base’s' }),
  })
  .check(
    fits((given: EntryKey & { readonly value: unknown }) => [
      ...keyViolations(given),
      ...nameViolations(given),
      ...valueViolations(given),
    ]),
  )
  .meta({ id: 'SetOverride', description: 'A value to have instead of the base’s; fonts may be added' })

const ResetOverride = z
  .strictObject(entryKey)
  .check(fits(keyViolations))
  .meta({ id: 'ResetOverride', description: 'An entry to have as the base has it; one that is not overridden stays' })

const most = 500

const written = ({ category, key, name }: EntryKey) => `${category}.${key}.${name}`

/** The first of `given` for which `isWrong` returns true. */
const firstOf = (given: unknown, isWrong: (one: EntryKey, at: number, all: readonly EntryKey[]) => boolean) =>
  Array.isArray(given) ? (given as readonly EntryKey[]).find(isWrong) : undefined

const setTwice = (given: unknown) =>
  firstOf(given, (one, at, all) => all.findIndex((other) => sameEntry(other, one)) !== at)

/** The body of an update. It may name an entry only once, either to set or to reset it; otherwise the intent would be ambiguous. */
export const DesignSystemChanges = z
  .strictObject({
    setOverrides: z
      .array(SetOverride)
      .max(most)
      .refine((given) => setTwice(given) === undefined, {
        error: ({ input }) => `${written(setTwice(input) as EntryKey)} is set twice`,
      })
      .optional()
      .meta({ description: 'Values that the project has instead of the base’s' }),
    resetOverrides: z
      .array(ResetOverride)
      .max(most)
      .optional()
      .meta({ description: 'Entries that go back to the base' }),
  })
  .check(({ value: { setOverrides = [], resetOverrides = [] }, issues }) => {
    const both = resetOverrides.find((one) => setOverrides.some((other) => sameEntry(other, one)))
    if (both)
      issues.push({
        code: 'custom',
        path: ['resetOverrides'],
        input: resetOverrides,
        message: `${written(both)} is set in the same request`,
      })
  })
  .meta({ id: 'DesignSystemChanges' })
export type DesignSystemChanges = z.input<typeof DesignSystemChanges>

/** The overrides of a request in stored form. */
export const givenOverrides = ({ setOverrides = [] }: z.output<typeof DesignSystemChanges>): readonly Override[] =>
  setOverrides.map(({ category, key, name, value, main, description }) => ({
    category,
    key,
    name,
    value: value as Override['value'],
    ...(main !== undefined && { main }),
    ...(description && { description }),
  }))
