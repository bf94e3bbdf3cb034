import { z } from 'zod'
import { type Contact, ContactFields } from '../contacts/contact.js'
import { type ContactInput, changedContact, newContact, readContact } from '../contacts/contact-input.js'
import { apiName, type CustomField, type FieldType, fieldKey } from '../contacts/custom-field.js'
import { addressKey } from '../kernel/email-address.js'
import { foundIn } from '../kernel/found.js'
import { chunked, collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { notFound, Refusal } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Roster } from '../subscribers/roster.js'
import type { Subscriber } from '../subscribers/subscriber.js'
import { newSubscriber } from '../subscribers/subscriber.js'
import type { SubscriberList } from '../subscribers/subscriber-list.js'
import { assertNotBounced, assertNotSuppressed, type Suppression } from '../suppressions/suppression.js'
import type { ContactChanges } from './contact-changes.js'
import type { ContactDirectory } from './contact-directory.js'

/** A row of a table: values by column heading, and the line that it stands in, to report on. */
export type ImportRow = { readonly line: number; readonly values: Readonly<Record<string, unknown>> }

/** What became of a row: by its line, made, changed, left as it was, or refused for a reason. */
export type ImportResult =
  | { readonly line: number; readonly ok: true; readonly outcome: 'created' | 'updated' | 'unchanged' }
  | { readonly line: number; readonly ok: false; readonly error: string }

export const ImportOptions = z.strictObject({
  subscriberListId: z.string().optional(),
  /** Of those who are not on the list yet. */
  status: z.enum(['active', 'unverified']).default('active'),
})
export type ImportOptions = z.input<typeof ImportOptions>

export type ContactImportDeps = {
  readonly repositories: RepositoriesFor<{
    contacts: Contact
    subscribers: Subscriber
    subscriberLists: SubscriberList
    suppressions: Suppression
  }>
  readonly contactDirectory: Pick<ContactDirectory, 'fieldsOf' | 'keepTags'>
  readonly contactChanges: Pick<ContactChanges, 'freeTags'>
  readonly clock: Clock
  readonly newId: NewId
  readonly roster: Pick<Roster, 'enrol'>
}

type ReadRow = {
  readonly line: number
  /** Where it stands in its batch. */
  readonly place: number
  readonly email: string
  readonly emailKey: string
  readonly given: ContactInput
}

type Outcome = Extract<ImportResult, { ok: true }>['outcome']

/** What a row comes to: a contact, which is to be added where it is new, and a membership where one is to begin. */
type Plan = { readonly contact: Contact; readonly outcome: Outcome; readonly membership: Subscriber | undefined }

/** What a batch looks up at once. `contacts` and `members` are kept up to date while its rows are written. */
type Known = {
  readonly contacts: Map<string, Contact>
  readonly suppressions: ReadonlyMap<string, Suppression>
  readonly members: Set<string>
}

/** Rows that are written together. */
const batchSize = 1000

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const truth: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false }

/** A cell's text as a value of the field's type; as it is where it cannot be read as one, to be refused with the rest. */
const cellValue = (type: FieldType | undefined, text: string): unknown => {
  if (type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  if (type === 'boolean') return truth[text.trim().toLowerCase()] ?? text
  return type === 'date' ? text.trim() : text
}

/** Reads a row as a contact's input: headings become API names, texts become values, an empty cell says nothing. */
const cellReader = (fields: readonly CustomField[]) => {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const names = new Map(fields.map(({ name }) => [fieldKey(name), name]))
  const keys = new Map<string, string>()

  const keyOf = (heading: string): string => {
    const known = keys.get(heading)
    if (known !== undefined) return known
    const key = names.get(fieldKey(heading)) ?? names.get(fieldKey(apiName(heading))) ?? (apiName(heading) || heading)
    keys.set(heading, key)
    return key
  }

  const read = (key: string, text: string): unknown => {
    if (key === 'email') return text.trim()
    if (key === 'tags') return text.split(/[,;]/).filter((tag) => tag.trim() !== '')
    return cellValue(types.get(key), text)
  }

  return (values: ImportRow['values']): Record<string, unknown> => {
    const given: [string, unknown][] = []
    for (const heading of Object.keys(values)) {
      const value = values[heading]
      if (value === '' || value === null || value === undefined) continue
      const key = keyOf(heading)
      given.push([key, typeof value === 'string' ? read(key, value) : value])
    }
    return Object.fromEntries(given)
  }
}

/** The rows in turns, each address once in a turn: its second row is about what its first has left. */
const turnsOf = (rows: readonly ReadRow[]): readonly (readonly ReadRow[])[] => {
  const turns: ReadRow[][] = []
  const seen = new Map<string, number>()
  for (const row of rows) {
    const turn = seen.get(row.emailKey) ?? 0
    seen.set(row.emailKey, turn + 1)
    turns[turn] ??= []
    turns[turn].push(row)
  }
  return turns
}

/** What a row's failure is called. Whatever a store makes of one row, the others are taken. */
const failureOf = (failure: unknown): string => {
  if (failure instanceof Refusal) return failure.message
  if (failure === 'taken') return 'Another change of this address came between.'
  if (failure === 'contact') return notFound('Contact').message
  if (failure === 'list') return notFound('Subscriber list').message
  return `The row could not be kept: ${messageOf(failure)}`
}

/** Batches of at most `batchSize`. */
const resized = async function* (batches: AsyncIterable<readonly ImportRow[]>): AsyncGenerator<readonly ImportRow[]> {
  for await (const batch of batches)
    for (let from = 0; from < batch.length; from += batchSize) yield batch.slice(from, from + batchSize)
}

/** A batch that is being written, and the addresses that it is about. */
type UnderWay = { readonly addresses: ReadonlySet<string>; readonly results: Promise<readonly ImportResult[]> }

/**
 * Takes over contacts from a table: makes or changes them by address and, where a list is named, subscribes those who are not on
 * it. Whoever has left the list stays away. The same rows once more change nothing, so an import that broke off is simply
 * repeated. Results come in batches, in the order of the rows. While one batch is being written, the next is read and looked up;
 * nothing is done beyond that.
 */
export const contactImport = (deps: ContactImportDeps) => {
  const { repositories, roster, clock, newId } = deps
  const { contacts, subscribers, subscriberLists, suppressions } = repositories

  const lookUp = async (projectId: string, rows: readonly ReadRow[], listId: string | undefined): Promise<Known> => {
    const emailKey = [...new Set(rows.map((row) => row.emailKey))]
    const [found, suppressed] = await Promise.all([
      collected(contacts.each({ projectId, emailKey })),
      collected(suppressions.each({ projectId, emailKey })),
    ])
    const contactId = found.map(({ _id }) => _id)
    const members = listId ? await collected(subscribers.each({ subscriberListId: listId, contactId })) : []
    return {
      contacts: new Map(found.map((contact) => [contact.emailKey, contact])),
      suppressions: new Map(suppressed.map((suppression) => [suppression.emailKey, suppression])),
      members: new Set(members.map((one) => one.contactId)),
    }
  }

  /** What the rows come to, of different addresses. Changes of contacts are made at once. What stands in a row's way is its failure. */
  const plansOf = async (
    projectId: string,
    rows: readonly ReadRow[],
    known: Known,
    { subscriberListId, status }: z.output<typeof ImportOptions>,
  ) => {
    const now = clock().toISOString()
    const plans = new Map<ReadRow, Plan>()
    const failures = new Map<ReadRow, unknown>()

    const plan = (row: ReadRow, contact: Contact, outcome: Outcome) => {
      const membership =
        subscriberListId && !known.members.has(contact._id)
          ? newSubscriber({ _id: newId(), projectId, subscriberListId, contactId: contact._id, status }, now)
          : undefined
      plans.set(row, { contact, outcome: membership && outcome === 'unchanged' ? 'updated' : outcome, membership })
    }
    const change = async (row: ReadRow, found: Contact) => {
      const after = await contacts.change({ _id: found._id, projectId }, (one) =>
        changedContact(one, { ...row.given, email: undefined }, now),
      )
      plan(row, after ?? found, 'updated')
    }
    const decide = (row: ReadRow): Promise<void> | undefined => {
      const suppression = known.suppressions.get(row.emailKey)
      if (subscriberListId) assertNotSuppressed(suppression)
      else assertNotBounced(suppression)
      const found = known.contacts.get(row.emailKey)
      if (!found) plan(row, newContact({ _id: newId(), projectId, email: row.email }, row.given, now), 'created')
      else if (changedContact(found, { ...row.given, email: undefined }, now) === found) plan(row, found, 'unchanged')
      else return change(row, found)
      return undefined
    }

    const changes: Promise<void>[] = []
    for (const row of rows)
      try {
        const changing = decide(row)
        if (changing) changes.push(changing.catch((error: unknown) => void failures.set(row, error)))
      } catch (error) {
        failures.set(row, error)
      }
    await Promise.all(changes)
    return { plans, failures }
  }

  /** Adds, in one step of the store, what has been planned for rows of different addresses. */
  const write = async (
    rows: readonly ReadRow[],
    { plans, failures }: Awaited<ReturnType<typeof plansOf>>,
    known: Known,
  ): Promise<readonly ImportResult[]> => {
    const begun = [...plans].filter(([, { outcome, membership }]) => outcome === 'created' || membership)
    const enrolments = begun.map(([, { contact, outcome, membership }]) => ({
      ...(outcome === 'created' && { contact }),
      ...(membership && { membership }),
    }))
    const answers = enrolments.length > 0 ? await roster.enrol(enrolments) : []
    for (const [index, [row]] of begun.entries()) if (answers[index]) failures.set(row, answers[index])
    return rows.map((row): ImportResult => {
      const { line, emailKey } = row
      const plan = plans.get(row)
      if (!plan || failures.has(row)) return { line, ok: false, error: failureOf(failures.get(row)) }
      known.contacts.set(emailKey, plan.contact)
      if (plan.membership) known.members.add(plan.contact._id)
      return { line, ok: true, outcome: plan.outcome }
    })
  }

  const readerOf = (fields: readonly CustomField[]) => {
    const cells = cellReader(fields)
    return ({ line, values }: ImportRow, place: number): ReadRow | ImportResult => {
      try {
        const { contact, beside } = readContact(ContactFields, cells(values), fields)
        return { line, place, email: beside.email, emailKey: addressKey(beside.email), given: contact }
      } catch (error) {
        return { line, ok: false, error: messageOf(error) }
      }
    }
  }

  /** Takes a batch while the one before it is being written: those of the same address, and all writes, come after it. */
  const taking = (projectId: string, options: z.output<typeof ImportOptions>, fields: readonly CustomField[]) => {
    const read = readerOf(fields)
    return (batch: readonly ImportRow[], before: UnderWay | undefined): UnderWay => {
      const rows = batch.map(read)
      const good = rows.filter((row): row is ReadRow => !('ok' in row))
      const take = async (): Promise<readonly ImportResult[]> => {
        const tags = good.flatMap(({ given }) => given.tags ?? [])
        await deps.contactChanges.freeTags(projectId, tags)
        await deps.contactDirectory.keepTags(projectId, tags)
        if (good.some(({ emailKey }) => before?.addresses.has(emailKey))) await before?.results
        const known = await lookUp(projectId, good, options.subscriberListId)
        const results = rows.map((row) => ('ok' in row ? row : undefined))
        for (const turn of turnsOf(good)) {
          const planned = await plansOf(projectId, turn, known, options)
          await before?.results
          for (const [index, result] of (await write(turn, planned, known)).entries())
            results[turn[index]?.place ?? -1] = result
        }
        return results.filter((result) => result !== undefined)
      }
      return { addresses: new Set(good.map(({ emailKey }) => emailKey)), results: take() }
    }
  }

  /** As `importContacts`, many rows and many results at a time. */
  const importBatches = async function* (
    { projectId }: Scope,
    batches: AsyncIterable<readonly ImportRow[]>,
    options: ImportOptions = {},
  ): AsyncGenerator<readonly ImportResult[]> {
    const asked = parsed(ImportOptions, options)
    const { subscriberListId } = asked
    if (subscriberListId !== undefined) await foundIn(subscriberLists, { _id: subscriberListId, projectId })
    const take = taking(projectId, asked, await deps.contactDirectory.fieldsOf(projectId))
    let before: UnderWay | undefined
    try {
      for await (const batch of resized(batches)) {
        const next = take(batch, before)
        // It is awaited in its turn: that of the one before it comes first.
        next.results.catch(() => {})
        const finished = before
        before = next
        if (finished) yield await finished.results
      }
      const last = before
      before = undefined
      if (last) yield await last.results
    } finally {
      await before?.results.catch(() => {})
    }
  }

  return {
    importBatches,
    /** @throws Refusal `invalid` for the options, `not-found` for a list of another project; what is wrong with a row is its result */
    importContacts: async function* (
      scope: Scope,
      rows: AsyncIterable<ImportRow> | Iterable<ImportRow>,
      options: ImportOptions = {},
    ): AsyncGenerator<ImportResult> {
      for await (const results of importBatches(scope, chunked(rows, batchSize), options)) yield* results
    },
  }
}
