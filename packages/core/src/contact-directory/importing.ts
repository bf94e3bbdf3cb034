import { z } from 'zod'
import { type Contact, ContactFields } from '../contacts/contact.js'
import { type ContactInput, changedContact, newContact, readContact } from '../contacts/contact-input.js'
import { apiName, type CustomField, type FieldType, fieldKey } from '../contacts/custom-field.js'
import { addressKey } from '../kernel/email-address.js'
import { grouped } from '../kernel/grouped.js'
import { chunked, collected } from '../kernel/listing.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { notFound, Refusal } from '../kernel/refusal.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import { KeyTaken } from '../kernel/repository.js'
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
  readonly roster: Pick<Roster, 'join'>
}

type ReadRow = { readonly line: number; readonly email: string; readonly given: ContactInput }

/** What a batch looks up at once. `contacts` and `members` are kept up to date while its rows are written. */
type Known = {
  readonly contacts: Map<string, Contact>
  readonly suppressions: ReadonlyMap<string, Suppression>
  readonly members: Set<string>
}

const batchSize = 500

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const truth: Readonly<Record<string, boolean>> = { true: true, yes: true, 1: true, false: false, no: false, 0: false }

/** A cell's text as a value of the field's type; as it is where it cannot be read as one, to be refused with the rest. */
const cellValue = (type: FieldType | undefined, text: string): unknown => {
  if (type === 'number') return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
  if (type === 'boolean') return truth[text.trim().toLowerCase()] ?? text
  return type === 'date' ? text.trim() : text
}

/** The row as a contact's input: headings become API names, texts become values, an empty cell says nothing. */
const cells = (values: ImportRow['values'], fields: readonly CustomField[]): Record<string, unknown> => {
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const names = new Map(fields.map(({ name }) => [fieldKey(name), name]))
  return Object.fromEntries(
    Object.entries(values).flatMap(([heading, value]) => {
      const key = names.get(fieldKey(heading)) ?? names.get(fieldKey(apiName(heading))) ?? (apiName(heading) || heading)
      if (value === '' || value === null || value === undefined) return []
      if (typeof value !== 'string') return [[key, value]]
      if (key === 'email') return [[key, value.trim()]]
      if (key === 'tags') return [[key, value.split(/[,;]/).filter((tag) => tag.trim() !== '')]]
      return [[key, cellValue(types.get(key), value)]]
    }),
  )
}

/**
 * Takes over contacts from a table: makes or changes them by address and, where a list is named, subscribes those who are not on
 * it. Whoever has left the list stays away. The same rows once more change nothing, so an import that broke off is simply
 * repeated. Results come in batches, in the order of the rows; nothing is done beyond what has been asked for of them.
 */
export const contactImport = (deps: ContactImportDeps) => {
  const { repositories, roster, clock, newId } = deps
  const { contacts, subscribers, subscriberLists, suppressions } = repositories

  const lookUp = async (projectId: string, rows: readonly ReadRow[], listId: string | undefined): Promise<Known> => {
    const emailKey = [...new Set(rows.map(({ email }) => addressKey(email)))]
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

  const keep = async (projectId: string, { email, given }: ReadRow, found: Contact | undefined, now: string) => {
    if (!found) {
      const contact = newContact({ _id: newId(), projectId, email }, given, now)
      await contacts.add(contact)
      return { contact, outcome: 'created' } as const
    }
    const changes = { ...given, email: undefined }
    if (changedContact(found, changes, now) === found) return { contact: found, outcome: 'unchanged' } as const
    const after = await contacts.change({ _id: found._id, projectId }, (one) => changedContact(one, changes, now))
    return { contact: after ?? found, outcome: 'updated' } as const
  }

  const subscribe = async (
    contact: Contact,
    subscriberListId: string,
    status: z.output<typeof ImportOptions>['status'],
  ) => {
    const { _id: contactId, projectId } = contact
    const one = newSubscriber({ _id: newId(), projectId, subscriberListId, contactId, status }, clock().toISOString())
    const missing = await roster.join(one).catch((error) => {
      if (!(error instanceof KeyTaken)) throw error
      return undefined
    })
    if (missing) throw notFound(missing === 'contact' ? 'Contact' : 'Subscriber list')
  }

  const write = async (
    projectId: string,
    row: ReadRow,
    known: Known,
    { subscriberListId, status }: z.output<typeof ImportOptions>,
  ): Promise<ImportResult> => {
    const { line, email } = row
    const emailKey = addressKey(email)
    const suppression = known.suppressions.get(emailKey)
    try {
      if (subscriberListId) assertNotSuppressed(suppression)
      else assertNotBounced(suppression)
      const { contact, outcome } = await keep(projectId, row, known.contacts.get(emailKey), clock().toISOString())
      known.contacts.set(emailKey, contact)
      if (!subscriberListId || known.members.has(contact._id)) return { line, ok: true, outcome }
      await subscribe(contact, subscriberListId, status)
      known.members.add(contact._id)
      return { line, ok: true, outcome: outcome === 'unchanged' ? 'updated' : outcome }
    } catch (error) {
      if (error instanceof Refusal) return { line, ok: false, error: error.message }
      if (error instanceof KeyTaken) return { line, ok: false, error: 'Another change of this address came between.' }
      // Whatever a store makes of one row, the others are taken; a store that is gone ends the next look-up.
      return { line, ok: false, error: `The row could not be kept: ${messageOf(error)}` }
    }
  }

  const read = ({ line, values }: ImportRow, fields: readonly CustomField[]): ReadRow | ImportResult => {
    try {
      const { contact, beside } = readContact(ContactFields, cells(values, fields), fields)
      return { line, email: beside.email, given: contact }
    } catch (error) {
      return { line, ok: false, error: messageOf(error) }
    }
  }

  /** @throws Refusal `invalid` for the options, `not-found` for a list of another project; what is wrong with a row is its result */
  return async function* importContacts(
    { projectId }: Scope,
    rows: AsyncIterable<ImportRow> | Iterable<ImportRow>,
    options: ImportOptions = {},
  ): AsyncGenerator<ImportResult> {
    const asked = parsed(ImportOptions, options)
    const { subscriberListId } = asked
    if (subscriberListId !== undefined && !(await subscriberLists.get({ _id: subscriberListId, projectId })))
      throw notFound('Subscriber list')
    const fields = await deps.contactDirectory.fieldsOf(projectId)
    for await (const batch of chunked(rows, batchSize)) {
      const results: (ReadRow | ImportResult)[] = batch.map((row) => read(row, fields))
      const good = results.flatMap((row, place) => ('ok' in row ? [] : [{ ...row, place }]))
      const tags = good.flatMap(({ given }) => given.tags ?? [])
      await deps.contactChanges.freeTags(projectId, tags)
      await deps.contactDirectory.keepTags(projectId, tags)
      const known = await lookUp(projectId, good, subscriberListId)
      // Addresses at once, the rows of one address one after the other.
      await Promise.all(
        [...grouped(good, ({ email }) => addressKey(email)).values()].map(async (same) => {
          for (const row of same) results[row.place] = await write(projectId, row, known, asked)
        }),
      )
      yield* results.filter((result) => 'ok' in result)
    }
  }
}
