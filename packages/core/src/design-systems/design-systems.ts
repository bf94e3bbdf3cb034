import { z } from 'zod'
import { ListQueryFields, parsedSortAndFilter } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock } from '../kernel/ports.js'
import { assertBasedOn, BasedOnVersion } from '../kernel/project-resource.js'
import { invalid, Refusal } from '../kernel/refusal.js'
import { getOrNotFound, ifKeyTaken, type Page, type RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { PresentJson, stamps } from '../kernel/shapes.js'
import type { Project } from '../projects/project.js'
import { baseDesignSystem } from './base-design-system.js'
import {
  type DesignOverride,
  type DesignSystem,
  DesignSystemView,
  isSameDesignEntryKey,
  mergedDesign,
  mergedDesignOverrides,
  resetOverrides,
} from './design-system.js'
import {
  type DesignEntry,
  type DesignEntryKey,
  type DesignValueCategory,
  designOverrideCategories,
  designValueSchemaOf,
  keysOfDesignCategory,
} from './design-values.js'

const everyCategory = Object.keys(designOverrideCategories) as [DesignValueCategory, ...DesignValueCategory[]]
const everyKey = [...new Set(everyCategory.flatMap(keysOfDesignCategory))]

const entryKey = {
  category: z.enum(everyCategory).describe('Part of the design system'),
  key: z
    .enum(everyKey)
    .describe(everyCategory.map((category) => `${category}: ${keysOfDesignCategory(category).join(', ')}`).join('; ')),
  name: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[^\p{Cc}\]]+$/u, 'expected a name without control characters and ]')
    .describe('Name of the entry; `font` accepts new names'),
}

const baseNames = ({ category, key }: DesignEntryKey): readonly string[] =>
  ((baseDesignSystem[category] as Readonly<Record<string, readonly DesignEntry[]>>)[key] ?? []).map(({ name }) => name)

type Violation = { readonly path: readonly PropertyKey[]; readonly message: string }

const keyViolations = ({ category, key }: DesignEntryKey): readonly Violation[] =>
  keysOfDesignCategory(category).includes(key)
    ? []
    : [{ path: ['key'], message: `expected one of ${keysOfDesignCategory(category).join(', ')} in ${category}` }]

const nameViolations = (one: DesignEntryKey): readonly Violation[] => {
  const { category, key, name } = one
  return category === 'font' || !keysOfDesignCategory(category).includes(key) || baseNames(one).includes(name)
    ? []
    : [{ path: ['name'], message: `the design system has no ${name} in ${category}.${key}` }]
}

const valueViolations = ({
  category,
  key,
  value,
}: DesignEntryKey & { readonly value: unknown }): readonly Violation[] =>
  (designValueSchemaOf(category, key)?.safeParse(value).error?.issues ?? []).map(({ path, message }) => ({
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
    value: PresentJson.describe(
      'colors: #rrggbb; stacks: a font stack; images, links, resources: a URL; texts: a text, or for components a style',
    ),
    main: z.boolean().optional().describe('Makes it the main entry of its group, instead of another'),
    description: z.string().max(500).optional().describe('Absent: the description of the base'),
  })
  .check(
    fits((given: DesignEntryKey & { readonly value: unknown }) => [
      ...keyViolations(given),
      ...nameViolations(given),
      ...valueViolations(given),
    ]),
  )
  .meta({ id: 'SetOverride', description: 'A value that replaces the base’s; fonts may be added' })

const ResetOverride = z
  .strictObject(entryKey)
  .check(fits(keyViolations))
  .meta({ id: 'ResetOverride', description: 'An entry to reset to the base' })

const most = 500

const written = ({ category, key, name }: DesignEntryKey) => `${category}.${key}.${name}`

const firstOf = (
  given: unknown,
  isWrong: (one: DesignEntryKey, at: number, all: readonly DesignEntryKey[]) => boolean,
) => (Array.isArray(given) ? (given as readonly DesignEntryKey[]).find(isWrong) : undefined)

const setTwice = (given: unknown) =>
  firstOf(given, (one, at, all) => all.findIndex((other) => isSameDesignEntryKey(other, one)) !== at)

/** An entry may be named only once, to set or to reset. */
export const DesignSystemChanges = z
  .strictObject({
    setOverrides: z
      .array(SetOverride)
      .max(most)
      .refine((given) => setTwice(given) === undefined, {
        error: ({ input }) => `${written(setTwice(input) as DesignEntryKey)} is set twice`,
      })
      .optional()
      .describe('Values that replace the base’s'),
    resetOverrides: z.array(ResetOverride).max(most).optional().describe('Entries to reset to the base'),
    basedOn: BasedOnVersion,
  })
  .check(({ value: { setOverrides = [], resetOverrides = [] }, issues }) => {
    const both = resetOverrides.find((one) => setOverrides.some((other) => isSameDesignEntryKey(other, one)))
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

const givenOverrides = ({ setOverrides = [] }: z.output<typeof DesignSystemChanges>): readonly DesignOverride[] =>
  setOverrides.map(({ category, key, name, value, main, description }) => ({
    category,
    key,
    name,
    value: value as DesignOverride['value'],
    ...(main !== undefined && { main }),
    ...(description && { description }),
  }))

type Deps = {
  readonly repositories: RepositoriesFor<{ projects: Project; designSystems: DesignSystem }>
  readonly clock: Clock
}

/** With the spec's sort fields and defaults. */
export const DesignSystemQuery = ListQueryFields.extend({
  sort: z.enum(['name', 'updatedAt', 'createdAt']).default('updatedAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
})

const standardName = 'Standard'
const mostOverrides = 500

/** The spec's sentence, with its full stop. */
const designSystemNotFound = () => new Refusal('not-found', 'Design system not found.')

/** Spec, "Design systems". */
export const designSystemUseCases = ({ repositories: { projects, designSystems }, clock }: Deps) => {
  const projectOf = async ({ projectId }: Scope): Promise<Project> => {
    return getOrNotFound(projects, { _id: projectId })
  }

  const show = ({ designSystemId, createdAt }: Project, own: DesignSystem | undefined): DesignSystemView =>
    DesignSystemView.parse({
      _id: designSystemId,
      name: standardName,
      ...mergedDesign(own?.overrides ?? []),
      createdAt,
      updatedAt: own?.updatedAt ?? createdAt,
    })

  /** A concurrent creation is changed instead. */
  const change = async (
    { _id: projectId, designSystemId: _id, createdAt }: Project,
    basedOn: string | undefined,
    decide: (overrides: DesignSystem['overrides']) => DesignSystem['overrides'],
  ): Promise<DesignSystem> => {
    const now = clock().toISOString()
    const decided = (current: DesignSystem): DesignSystem => {
      assertBasedOn(current, basedOn)
      return { ...current, overrides: decide(current.overrides), updatedAt: now }
    }
    const there = () => designSystems.change({ _id, projectId }, decided)
    const changed = await there()
    if (changed) return changed
    const made = { ...decided({ _id, projectId, overrides: [], ...stamps(createdAt) }), createdAt: now }
    return (await designSystems.add(made).catch(ifKeyTaken(there))) ?? made
  }

  return {
    /** @throws Refusal `invalid` */
    list: async (scope: Scope, query: z.output<typeof DesignSystemQuery>): Promise<Page<DesignSystemView>> => {
      const { where } = parsedSortAndFilter(DesignSystemView.shape, query)
      const project = await projectOf(scope)
      const shown = show(project, await designSystems.get({ _id: project.designSystemId }))
      const fits = Object.entries(where).every(([field, value]) => shown[field as keyof DesignSystemView] === value)
      const items = fits ? [shown] : []
      return { items: items.slice(query.skip, query.skip + query.limit), count: items.length }
    },

    /**
     * Resetting an entry without an override has no effect.
     * @throws Refusal `invalid` with every violation, `not-found`, `duplicate`
     */
    update: async (scope: Scope, id: string, input: DesignSystemChanges): Promise<DesignSystemView> => {
      const changes = parsed(DesignSystemChanges, input)
      const project = await projectOf(scope)
      if (id !== project.designSystemId) throw designSystemNotFound()
      const own = await change(project, changes.basedOn, (overrides) => {
        const next = mergedDesignOverrides(
          resetOverrides(overrides, changes.resetOverrides ?? []),
          givenOverrides(changes),
        )
        if (next.length > mostOverrides) throw invalid(`setOverrides: a design system has ${mostOverrides} at most`)
        return next
      })
      return show(project, own)
    },
  }
}
