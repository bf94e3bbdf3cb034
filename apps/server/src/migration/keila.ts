import { basename } from 'node:path'
import { invalid } from '@posthorn/core/ports/runtime'
import { type ColumnMeanings, contactFileReader, type ExportedContactRow, namesAsFields } from './contact-columns.js'
import { type ExportFileRecord, findExportFiles, hasEnding, isRecord, jsonRecords } from './export-files.js'
import type {
  ExportMembership,
  MigrationContactItem,
  MigrationItem,
  MigrationSource,
  MigrationTemplateItem,
} from './items.js'
import { exportedInstant, flatFields, fullName, jsonIn, textListOrUndefined, textOrEmpty } from './values.js'

/**
 * Columns: https://github.com/pentacent/keila/blob/main/lib/keila/contacts/import.ex
 * Statuses, and fields of JSON: https://github.com/pentacent/keila/blob/main/lib/keila/contacts/schemas/contact.ex
 */
const columns: ColumnMeanings = {
  Email: 'email',
  'First name': 'firstName',
  'Last name': 'lastName',
  Status: 'status',
  Data: 'ignored',
  'Inserted at': 'joinedAt',
  'Created at': 'joinedAt',
  'Updated at': 'changedAt',
  'Double opt-in at': 'ignored',
  ID: 'ignored',
}

const expected =
  'Expected contacts as CSV with the columns Email, First name, Last name, Data and Status, or contacts and campaigns as JSON of Keila’s API (/api/v1/contacts, /api/v1/campaigns).'

const contactsIn = contactFileReader(columns, expected)

type Told = {
  readonly data: unknown
  readonly status?: string | undefined
  readonly joinedAt?: unknown
  readonly changedAt?: unknown
  readonly confirmedAt?: unknown
}

const contactOf = (list: string, contact: ExportedContactRow['contact'], told: Told): MigrationContactItem => {
  const { data, status } = told
  const joinedAt = exportedInstant(told.joinedAt) ?? exportedInstant(told.confirmedAt)
  const changedAt = status === 'unsubscribed' ? exportedInstant(told.changedAt) : undefined
  const confirmedAt = exportedInstant(told.confirmedAt)
  const tags = isRecord(data) ? textListOrUndefined(data.tags) : undefined
  const membership: ExportMembership = {
    list,
    status: status === 'unsubscribed' ? 'unsubscribed' : 'active',
    joinedAt,
    changedAt,
    consent: `Keila: ${status || 'active'}${confirmedAt ? `, confirmed on ${confirmedAt}` : ''}`.slice(0, 1000),
  }
  return {
    ...contact,
    tags,
    fields: { ...contact.fields, ...flatFields(isRecord(data) && tags ? { ...data, tags: undefined } : data) },
    memberships: [membership],
    suppressed: status === 'unreachable' ? { reason: 'bounce', at: exportedInstant(told.changedAt) } : undefined,
  }
}

const csvContact = (list: string, { contact, known, cells }: ExportedContactRow): MigrationContactItem => {
  const { status, joinedAt, changedAt } = known
  const cell = (heading: string) => Object.entries(cells).find(([name]) => name.toLowerCase() === heading)?.[1]
  const confirmedAt = cell('double opt-in at')
  return contactOf(list, contact, { data: jsonIn(cell('data')), status, joinedAt, changedAt, confirmedAt })
}

const jsonContact = (list: string, { place, value }: ExportFileRecord): MigrationContactItem => {
  const [firstName, lastName] = [textOrEmpty(value.first_name), textOrEmpty(value.last_name)]
  const externalId = textOrEmpty(value.external_id)
  const contact: ExportedContactRow['contact'] = {
    kind: 'contact',
    place,
    email: textOrEmpty(value.email),
    name: fullName(firstName, lastName),
    fields: { ...namesAsFields(firstName, lastName), ...(externalId && { 'External ID': externalId }) },
  }
  return contactOf(list, contact, {
    data: value.data,
    status: textOrEmpty(value.status),
    joinedAt: value.inserted_at,
    changedAt: value.updated_at,
    confirmedAt: value.double_opt_in_at,
  })
}

/** https://github.com/pentacent/keila/blob/main/lib/keila/mailings/schemas/campaign.ex */
const campaignOf = ({ place, value }: ExportFileRecord): MigrationTemplateItem => {
  const type = isRecord(value.settings) ? textOrEmpty(value.settings.type) : ''
  const subject = textOrEmpty(value.subject)
  const html = textOrEmpty(value.html_body)
  const isText = type === 'text'
  return {
    kind: 'template',
    place,
    name: subject,
    subject,
    purpose: 'campaign',
    format: isText ? 'text' : 'html',
    source: isText ? textOrEmpty(value.text_body) : html,
    language: 'liquid',
    ...(!isText &&
      html === '' && { obstacle: `It is a ${type || 'block'} campaign; text and HTML ones can be translated.` }),
  }
}

const jsonItem = (list: string, one: ExportFileRecord): MigrationItem => {
  if ('email' in one.value) return jsonContact(list, one)
  if ('subject' in one.value) return campaignOf(one)
  return { kind: 'problem', place: one.place, error: `It is no contact and no campaign. ${expected}` }
}

export const keilaExportReader: MigrationSource = {
  name: 'Keila',
  open: async (path, { listName = 'Keila' }) => {
    const files = findExportFiles(path)
    const tables = files.filter((file) => hasEnding(file, 'csv'))
    const documents = files.filter((file) => hasEnding(file, 'json', 'ndjson'))
    if (tables.length + documents.length === 0) throw invalid(`${basename(path)} is no export of Keila. ${expected}`)
    return {
      items: async function* () {
        yield [{ kind: 'list', key: listName, name: listName }]
        for (const file of tables) yield* contactsIn(file, (row) => csvContact(listName, row))
        for (const file of documents) yield* jsonRecords(file, (one) => jsonItem(listName, one))
      },
      close: () => {},
    }
  },
}
