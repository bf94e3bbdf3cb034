import type { Core, Scope } from '@posthorn/core'
import { invalid } from '@posthorn/core/ports/runtime'
import { type CustomFieldView, importRowReader } from '@posthorn/core/ports/transport'
import { fieldPlan, fieldRenamer, type PlannedField, plannedFieldLookup } from './field-plan.js'
import type {
  ExportedSuppressionReason,
  ExportPlace,
  MigrationContactItem,
  MigrationItem,
  MigrationListItem,
  MigrationTemplateItem,
  OpenedExport,
} from './items.js'
import { type PlannedTemplate, plannedTemplateImport } from './template-plan.js'

export type PlannedList = MigrationListItem & {
  /** Of the project's list with this name. */
  readonly existing: string | undefined
  readonly active: number
  readonly unverified: number
  readonly unsubscribed: number
}

export type MigrationRowProblem = { readonly place: ExportPlace; readonly email: string; readonly error: string }

export type SkippedItems = { readonly what: string; readonly count: number }

export type MigrationPlan = {
  readonly lists: readonly PlannedList[]
  readonly fields: readonly PlannedField[]
  readonly templates: readonly PlannedTemplate[]
  /** Rows; an address may have several. */
  readonly contacts: { readonly total: number; readonly invalid: number }
  readonly suppressions: Readonly<Partial<Record<ExportedSuppressionReason, number>>>
  readonly leftOut: readonly SkippedItems[]
  /** Only the first; the run writes all to a file. */
  readonly problems: readonly MigrationRowProblem[]
  readonly problemCount: number
  /** Of the export, for the progress. */
  readonly itemCount: number
}

const mostProblems = 1_000
/** Templates, and their characters, that are kept in memory. */
const [mostTemplates, mostCharacters] = [2_000, 50_000_000]

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export const importRowOfExportContact = (
  { email, name, tags, fields }: Pick<MigrationContactItem, 'email' | 'name' | 'tags' | 'fields'>,
  renamed: ReturnType<typeof fieldRenamer>,
): Readonly<Record<string, unknown>> => ({
  email,
  ...(name !== undefined && { name }),
  ...(tags && tags.length > 0 && { tags }),
  ...renamed(fields),
})

const existingLists = async (core: Core, scope: Scope): Promise<ReadonlyMap<string, string>> => {
  const { items } = await core.subscriberLists.list(scope, { skip: 0, limit: 100_000, order: 'desc' })
  // The oldest of several with one name comes last, and stays.
  return new Map(items.map(({ _id, name }) => [name, _id]))
}

/** Two lists, or two emails, of one name would become one. */
const distinctNames = <T extends { readonly name: string }>(items: readonly T[]): readonly T[] => {
  const taken = new Set<string>()
  return items.map((item) => {
    let { name } = item
    for (let next = 2; taken.has(name); next += 1) name = `${item.name} (${next})`
    taken.add(name)
    return { ...item, name }
  })
}

type Counts = Record<'active' | 'unverified' | 'unsubscribed', number>

const collected = (system: string, fields: readonly CustomFieldView[]) => {
  const plan = fieldPlan(system, fields)
  const lists = new Map<string, MigrationListItem>()
  const counts = new Map<string, Counts>()
  const suppressions: Partial<Record<ExportedSuppressionReason, number>> = {}
  const templates: MigrationTemplateItem[] = []
  const leftOut = new Map<string, number>()
  let [contacts, items, characters] = [0, 0, 0]

  const count = (reason: ExportedSuppressionReason) => {
    suppressions[reason] = (suppressions[reason] ?? 0) + 1
  }

  const contact = ({ fields: values, memberships, suppressed }: MigrationContactItem) => {
    contacts += 1
    plan.see(values)
    for (const { list, status } of memberships) {
      const of = counts.get(list) ?? { active: 0, unverified: 0, unsubscribed: 0 }
      of[status] += 1
      counts.set(list, of)
    }
    if (suppressed) count(suppressed.reason)
  }

  const template = (item: MigrationTemplateItem) => {
    characters += item.source.length
    if (templates.length >= mostTemplates || characters > mostCharacters)
      throw invalid('The export has too many templates. Migrate them in parts.')
    templates.push(item)
  }

  const see = (item: MigrationItem): void => {
    items += 1
    if (item.kind === 'contact') contact(item)
    else if (item.kind === 'suppression') count(item.reason)
    else if (item.kind === 'list') lists.set(item.key, item)
    else if (item.kind === 'template') template(item)
    else if (item.kind === 'left-out') leftOut.set(item.what, (leftOut.get(item.what) ?? 0) + item.count)
  }

  return {
    see,
    result: () => ({
      fields: plan.planned(),
      lists: distinctNames([...lists.values()]),
      countsOf: (key: string): Counts => counts.get(key) ?? { active: 0, unverified: 0, unsubscribed: 0 },
      suppressions,
      templates: distinctNames(templates),
      leftOut: [...leftOut].map(([what, n]) => ({ what, count: n })),
      contacts,
      items,
    }),
  }
}

/** A second pass, because types are known only after the first. */
const checkedRows = async (source: OpenedExport, fields: readonly PlannedField[], projectId: string) => {
  const now = new Date(0).toISOString()
  const read = importRowReader(
    fields.map(({ name, type }) => ({ _id: name, projectId, name, key: name, type, createdAt: now, updatedAt: now })),
  )
  const renamed = fieldRenamer(fields)
  const problems: MigrationRowProblem[] = []
  let [problemCount, invalid] = [0, 0]
  const note = (problem: MigrationRowProblem) => {
    problemCount += 1
    if (problems.length < mostProblems) problems.push(problem)
  }
  for await (const items of source.items())
    for (const item of items) {
      if (item.kind === 'problem') note({ place: item.place, email: item.email ?? '', error: item.error })
      if (item.kind !== 'contact' && item.kind !== 'suppression') continue
      try {
        read(item.kind === 'contact' ? importRowOfExportContact(item, renamed) : { email: item.email })
      } catch (error) {
        if (item.kind === 'contact') invalid += 1
        note({ place: item.place, email: item.email, error: messageOf(error) })
      }
    }
  return { problems, problemCount, invalid }
}

/** Reads the whole export twice and writes nothing. @throws Refusal `invalid` if it is not what its system exports */
export const planMigration = async (
  core: Core,
  scope: Scope,
  system: string,
  source: OpenedExport,
): Promise<MigrationPlan> => {
  const existingFields = (await core.customFields.list(scope)).items
  const known = await existingLists(core, scope)
  const all = collected(system, existingFields)
  for await (const items of source.items()) for (const item of items) all.see(item)
  const { fields, lists, countsOf, suppressions, templates, leftOut, contacts, items } = all.result()
  const { problems, problemCount, invalid } = await checkedRows(source, fields, scope.projectId)
  const fieldOf = plannedFieldLookup(fields)
  return {
    lists: lists.map((list) => ({ ...list, existing: known.get(list.name), ...countsOf(list.key) })),
    fields,
    templates: templates.map((template) => plannedTemplateImport(template, fieldOf)),
    contacts: { total: contacts, invalid },
    suppressions,
    leftOut,
    problems,
    problemCount,
    itemCount: items,
  }
}
