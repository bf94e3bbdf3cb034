import { type Core, type ImportRow, type ImportRowResult, Refusal, type Scope } from '@posthorn/core'
import { fieldRenamer } from './field-plan.js'
import type { ExportedSuppression, ExportPlace, MigrationContactItem, MigrationItem, OpenedExport } from './items.js'
import { importRowOfExportContact, type MigrationPlan, type PlannedList } from './plan.js'
import type { PlannedTemplate } from './template-plan.js'

export const suppressionMigrationCounters = ['suppressed', 'suppressedBefore'] as const

/** Where results are noted, so that an interrupted migration continues. */
export type MigrationJournal = {
  /** The last item that an earlier run finished. */
  readonly from: number
  readonly counts: Record<'created' | 'updated' | 'unchanged' | (typeof suppressionMigrationCounters)[number], number>
  readonly failed: (failure: {
    readonly line: number
    readonly error: string
    readonly cells: readonly string[]
  }) => void
  /** All items up to this one are finished. */
  readonly done: (item: number) => void
}

type At = {
  readonly core: Core
  readonly scope: Scope
  readonly system: string
  readonly progress: (done: number) => void
}

/** Columns after the number in the export and the reason. */
export const failedRowHeadings = ['file', 'line', 'address'] as const

/** Items per step, whose results are stored before the next; suppressions written at the same time. */
const [batchSize, atOnce] = [1_000, 50]

type Numbered<I> = { readonly number: number; readonly item: I }

const batches = async function* (
  source: OpenedExport,
  from: number,
): AsyncGenerator<readonly Numbered<MigrationItem>[]> {
  let number = 0
  let batch: Numbered<MigrationItem>[] = []
  for await (const items of source.items())
    for (const item of items) {
      number += 1
      if (number <= from) continue
      batch.push({ number, item })
      if (batch.length < batchSize) continue
      yield batch
      batch = []
    }
  if (batch.length > 0) yield batch
}

const createFields = async ({ core, scope }: At, plan: MigrationPlan): Promise<void> => {
  for (const { name, type, isNew } of plan.fields) if (isNew) await core.customFields.create(scope, { name, type })
}

const createList = async ({ core, scope }: At, list: PlannedList): Promise<string> => {
  if (list.existing !== undefined) return list.existing
  const { name, description, isPrivate = false } = list
  const made = await core.subscriberLists.create(scope, {
    name,
    private: isPrivate,
    ...(description && { description: description.slice(0, 2000) }),
  })
  return made._id
}

/** The reasons that the service itself gives stay; others name the system. */
const reasonOf = (system: string, { reason, at }: ExportedSuppression): string =>
  reason === 'bounce' || reason === 'complaint' ? reason : `${reason} at ${system}${at ? ` on ${at}` : ''}`

type Failed = (
  one: { readonly number: number; readonly place: ExportPlace; readonly email: string },
  error: string,
) => void

const suppress = async (
  { core, scope, system }: At,
  batch: readonly Numbered<MigrationItem>[],
  counts: MigrationJournal['counts'],
  failed: Failed,
): Promise<void> => {
  const due = batch.flatMap(({ number, item }) => {
    if (item.kind === 'suppression')
      return [{ number, place: item.place, email: item.email, why: item as ExportedSuppression }]
    if (item.kind !== 'contact' || !item.suppressed) return []
    return [{ number, place: item.place, email: item.email, why: item.suppressed, isContact: true }]
  })
  const one = async ({ why, ...row }: (typeof due)[number]): Promise<void> => {
    try {
      await core.suppressions.create(scope, { email: row.email, reason: reasonOf(system, why) })
      counts.suppressed += 1
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.kind === 'duplicate') counts.suppressedBefore += 1
      // The contact of the row fails for the same reason.
      else if (!('isContact' in row)) failed(row, error.message)
    }
  }
  for (let from = 0; from < due.length; from += atOnce) await Promise.all(due.slice(from, from + atOnce).map(one))
}

const once = async function* <T>(one: T): AsyncGenerator<T> {
  yield one
}

const isContact = (one: Numbered<MigrationItem>): one is Numbered<MigrationContactItem> => one.item.kind === 'contact'

/** Contacts first, then their memberships list by list. Existing memberships stay as they are. */
const importContacts = async (
  { core, scope }: At,
  plan: MigrationPlan,
  listIds: ReadonlyMap<string, string>,
  batch: readonly Numbered<MigrationItem>[],
  counts: MigrationJournal['counts'],
  failed: Failed,
): Promise<void> => {
  const renamed = fieldRenamer(plan.fields)
  const contacts = new Map(batch.filter(isContact).map(({ number, item }) => [number, item]))
  const imported = async (rows: readonly ImportRow[], list?: string): Promise<readonly ImportRowResult[]> => {
    const results: ImportRowResult[] = []
    const options = {
      suppressed: 'keep' as const,
      tags: 'add' as const,
      ...(list !== undefined && { subscriberListId: list }),
    }
    if (rows.length > 0)
      for await (const some of core.contacts.importBatches(scope, once(rows), options)) results.push(...some)
    return results
  }
  const kept = new Map<number, MigrationContactItem>()
  const take = (result: ImportRowResult, isFirst: boolean) => {
    const item = contacts.get(result.line)
    if (!item) return
    if (!result.ok) failed({ number: result.line, ...item }, result.error)
    else if (isFirst) {
      counts[result.outcome] += 1
      kept.set(result.line, item)
    }
  }
  const rows = [...contacts].map(([line, item]) => ({ line, values: importRowOfExportContact(item, renamed) }))
  for (const result of await imported(rows)) take(result, true)
  for (const [key, id] of listIds) {
    const members = [...kept].flatMap(([line, { email, memberships }]): readonly ImportRow[] => {
      const found = memberships.find(({ list }) => list === key)
      if (!found) return []
      const { list: _list, ...membership } = found
      return [{ line, values: { email }, membership }]
    })
    for (const result of await imported(members, id)) take(result, false)
  }
}

export type TemplateWriteResult = Pick<PlannedTemplate, 'name' | 'target'> & {
  readonly result: 'created' | 'exists' | 'not imported'
}

const writeTemplate = async (
  { core, scope }: At,
  { name, subject, type, document, target, problems }: PlannedTemplate,
  firstList: string | undefined,
): Promise<TemplateWriteResult['result']> => {
  const { transactionalEmails, triggeredEmails, campaigns } = core
  if (problems.length > 0) return 'not imported'
  const query = { skip: 0, limit: 1, filter: { name } }
  const content = { name, subject, type, document }
  if (target === 'transactional email') {
    if ((await transactionalEmails.list(scope, query)).count > 0) return 'exists'
    await transactionalEmails.create(scope, content)
    return 'created'
  }
  if (firstList === undefined) return 'not imported'
  const onList = { ...content, subscriberListId: firstList }
  if (target === 'triggered email') {
    if ((await triggeredEmails.list(scope, query)).count > 0) return 'exists'
    await triggeredEmails.create(scope, onList)
    return 'created'
  }
  if ((await campaigns.list(scope, query)).count > 0) return 'exists'
  await campaigns.create(scope, { ...onList, status: 'draft', timeZone: 'UTC' })
  return 'created'
}

/**
 * Idempotent: what exists stays, and a repetition continues after the last stored step.
 * @throws ImportInterrupted or StoreUnavailable if the store fails
 */
export const carryOutMigration = async (
  at: At,
  source: OpenedExport,
  plan: MigrationPlan,
  journal: MigrationJournal,
): Promise<readonly TemplateWriteResult[]> => {
  const { counts } = journal
  const failed: Failed = ({ number: line, place, email }, error) =>
    journal.failed({ line, error, cells: [place.file, String(place.line), email] })
  await createFields(at, plan)
  const listIds = new Map<string, string>()
  for (const list of plan.lists) listIds.set(list.key, await createList(at, list))
  for await (const batch of batches(source, journal.from)) {
    for (const { number, item } of batch)
      if (item.kind === 'problem') failed({ number, place: item.place, email: item.email ?? '' }, item.error)
    await suppress(at, batch, counts, failed)
    await importContacts(at, plan, listIds, batch, counts, failed)
    const last = batch.at(-1)?.number ?? 0
    journal.done(last)
    at.progress(last)
  }
  const [firstList] = listIds.values()
  const written: TemplateWriteResult[] = []
  for (const template of plan.templates) {
    const { name, target } = template
    written.push({ name, target, result: await writeTemplate(at, template, firstList) })
  }
  return written
}
