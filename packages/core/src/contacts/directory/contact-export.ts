import { z } from 'zod'
import { csvRow, escapedFormulas, exportTextChunks } from '../../kernel/csv-cells.js'
import { collected, ListQueryFields } from '../../kernel/listing.js'
import { parsed } from '../../kernel/parsed.js'
import { assertNoViolations } from '../../kernel/refusal.js'
import type { RepositoriesFor } from '../../kernel/repository.js'
import type { Scope } from '../../kernel/scope.js'
import { type Violation, wrongFieldViolation } from '../../kernel/violation.js'
import { type Subscriber, type SubscriberStatus, subscriberStatusAt } from '../../lists/subscriber.js'
import type { Contact, ContactView } from '../contact.js'
import type { CustomFieldsOfProject } from '../custom-field.js'
import {
  type ContactListDeps,
  type ContactSearch,
  contactFilterResolver,
  contactFindParameter,
  contactPageAfter,
  contactQueryViolations,
  type NextContactsQuery,
} from './contact-list.js'

const exportFormats = ['csv', 'ndjson'] as const

export const ContactExportQuery = z.strictObject({
  format: z.enum(exportFormats, 'expected csv or ndjson').default('csv').describe('Format of the file'),
  find: contactFindParameter,
  filter: ListQueryFields.shape.filter,
})
export type ContactExportQuery = z.input<typeof ContactExportQuery>
type Wanted = Omit<ContactExportQuery, 'format'>

/** With a status if a list was given. */
export type ExportedContact = { readonly contact: ContactView; readonly subscriberStatus?: SubscriberStatus }

type Deps = Omit<ContactListDeps, 'contactSearch'> & {
  readonly repositories: RepositoriesFor<{ subscribers: Subscriber }>
  readonly contactSearch: Pick<ContactSearch, 'next'>
  readonly fieldsOf: CustomFieldsOfProject
}

const batchSize = 200

/** A walk in batches cannot skip what is on none of several lists. */
const listViolations = ({ filter }: Wanted): readonly Violation[] =>
  filter?._lists === undefined
    ? []
    : [wrongFieldViolation('filter[_lists]', 'use filter[subscriberListId] for an export')]

type ContactExportOptions = {
  readonly format: (typeof exportFormats)[number]
  readonly fields: readonly string[]
  readonly hasStatus: boolean
  /** CSV columns: only columns that an import reads, or also lists and dates. */
  readonly columns: 'imported' | 'all'
}

const notImported = ['_lists', 'createdAt', 'lastReceiveDate', 'lastOpenDate', 'lastClickDate'] as const

type Value = string | number | boolean | readonly string[] | undefined

const textOf = (value: Value): string =>
  typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : escapedFormulas(typeof value === 'string' ? value : (value ?? []).join(','))

/** Cells that begin like a formula get a guard, which an import removes. */
export async function* contactExportText(
  contacts: AsyncIterable<ExportedContact>,
  { format, fields, hasStatus, columns }: ContactExportOptions,
): AsyncGenerator<string> {
  const named = ['email', 'name', 'tags', ...fields, ...(columns === 'all' ? notImported : [])]
  const status = hasStatus ? ['status'] : []
  const row = ({ contact, subscriberStatus }: ExportedContact): string => {
    if (format === 'ndjson')
      return `${JSON.stringify({ ...contact, ...(subscriberStatus && { status: subscriberStatus }) })}\n`
    const values: Readonly<Record<string, Value>> = contact
    return csvRow([...named.map((field) => textOf(values[field])), ...status.map(() => subscriberStatus ?? '')])
  }
  yield* exportTextChunks(
    contacts,
    row,
    format === 'csv' ? csvRow([...named.map((name) => name.replace('_', '')), ...status]) : '',
  )
}

/** The contacts of a filter, newest first; with `find`, by address. Reads a batch when it is needed. */
export const contactExport = (
  deps: Deps,
  views: (projectId: string, found: readonly Contact[]) => Promise<readonly ContactView[]>,
) => {
  const { contactSearch, fieldsOf } = deps
  const { subscribers } = deps.repositories
  const searchOf = contactFilterResolver(deps)

  const queryOf = async (projectId: string, wanted: Wanted): Promise<Omit<NextContactsQuery, 'limit' | 'after'>> => {
    assertNoViolations(listViolations(wanted))
    return searchOf(projectId, wanted, await fieldsOf(projectId))
  }

  async function* walked({ list, now, projectId, ...query }: Omit<NextContactsQuery, 'limit' | 'after'>) {
    for (let after: string | undefined; ; ) {
      const asked = { ...query, projectId, now, ...(list && { list }) }
      const { items, next } = await contactPageAfter(contactSearch, asked, after, batchSize)
      const contactId = items.map(({ _id }) => _id)
      const members = list
        ? await collected(subscribers.each({ subscriberListId: list.subscriberListId, contactId }))
        : []
      const statuses = new Map(members.map((one) => [one.contactId, subscriberStatusAt(one, now)]))
      for (const contact of await views(projectId, items)) {
        const subscriberStatus = statuses.get(contact._id)
        yield { contact, ...(subscriberStatus && { subscriberStatus }) }
      }
      if (next === null) return
      after = next
    }
  }

  return {
    violations: async ({ projectId }: Scope, wanted: Wanted): Promise<readonly Violation[]> => [
      ...listViolations(wanted),
      ...(await contactQueryViolations({ filter: wanted.filter }, await fieldsOf(projectId))),
    ],

    /** @throws Refusal `invalid`, `not-found` for a list or segment of another project */
    contacts: async function* ({ projectId }: Scope, wanted: Wanted = {}): AsyncGenerator<ExportedContact> {
      yield* walked(await queryOf(projectId, wanted))
    },

    /** A file with all fields. @throws Refusal as `contacts` */
    file: async ({ projectId }: Scope, query: ContactExportQuery): Promise<AsyncIterable<string>> => {
      const { format, ...wanted } = parsed(ContactExportQuery, query)
      const asked = await queryOf(projectId, wanted)
      const fields = (await fieldsOf(projectId)).map(({ name }) => name)
      return contactExportText(walked(asked), { format, fields, hasStatus: asked.list !== undefined, columns: 'all' })
    },
  }
}
