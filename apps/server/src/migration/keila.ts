import { basename } from 'node:path'
import { invalid } from '@posthorn/core/ports/runtime'
import { type ColumnMeanings, exportColumnReader } from './contact-columns.js'
import {
  type CsvRecord,
  csvRecords,
  type ExportFileRecord,
  findExportFiles,
  hasEnding,
  inspectExportCsv,
  isRecord,
  itemOrProblem,
  jsonRecords,
} from './export-files.js'
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

const { read, has } = exportColumnReader(columns)

type Contact = Pick<MigrationContactItem, 'place' | 'email' | 'fields'> & {
  readonly firstName?: string | undefined
  readonly lastName?: string | undefined
  readonly data: unknown
  readonly status?: string | undefined
  readonly joinedAt?: unknown
  readonly changedAt?: unknown
  readonly confirmedAt?: unknown
}

const contactOf = (list: string, one: Contact): MigrationContactItem => {
  const { place, email, firstName, lastName, data, status } = one
  const joinedAt = exportedInstant(one.joinedAt) ?? exportedInstant(one.confirmedAt)
  const changedAt = status === 'unsubscribed' ? exportedInstant(one.changedAt) : undefined
  const confirmedAt = exportedInstant(one.confirmedAt)
  const tags = isRecord(data) ? textListOrUndefined(data.tags) : undefined
  const membership: ExportMembership = {
    list,
    status: status === 'unsubscribed' ? 'unsubscribed' : 'active',
    ...(joinedAt && { joinedAt }),
    ...(changedAt && { changedAt }),
    consent: `Keila: ${status || 'active'}${confirmedAt ? `, confirmed on ${confirmedAt}` : ''}`.slice(0, 1000),
  }
  return {
    kind: 'contact',
    place,
    email,
    name: fullName(firstName, lastName),
    ...(tags && { tags }),
    fields: { ...one.fields, ...flatFields(isRecord(data) && tags ? { ...data, tags: undefined } : data) },
    memberships: [membership],
    suppressed: status === 'unreachable' ? { reason: 'bounce', at: exportedInstant(one.changedAt) } : undefined,
  }
}

const csvContact = (list: string, record: CsvRecord): MigrationContactItem => {
  const { known, fields } = read(record)
  const { firstName, lastName, status, joinedAt, changedAt } = known
  const cell = (heading: string) => Object.entries(record.cells).find(([name]) => name.toLowerCase() === heading)?.[1]
  const names = { place: record.place, email: known.email ?? '', fields, firstName, lastName }
  return contactOf(list, {
    ...names,
    data: jsonIn(cell('data')),
    status,
    joinedAt,
    changedAt,
    confirmedAt: cell('double opt-in at'),
  })
}

const jsonContact = (list: string, { place, value }: ExportFileRecord): MigrationContactItem => {
  const [firstName, lastName] = [textOrEmpty(value.first_name), textOrEmpty(value.last_name)]
  const externalId = textOrEmpty(value.external_id)
  return contactOf(list, {
    place,
    email: textOrEmpty(value.email),
    firstName,
    lastName,
    fields: {
      ...(firstName && { 'First name': firstName }),
      ...(lastName && { 'Last name': lastName }),
      ...(externalId && { 'External ID': externalId }),
    },
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
        for (const file of tables) {
          const csv = await inspectExportCsv(file)
          if (!has(csv.headings, 'email')) throw invalid(`${file.name} has no column Email. ${expected}`)
          yield* csvRecords(csv, (record) => csvContact(listName, record))
        }
        for (const file of documents)
          for await (const some of jsonRecords(file))
            yield some.map((one) => ('kind' in one ? one : itemOrProblem(one.place, () => jsonItem(listName, one))))
      },
      close: () => {},
    }
  },
}
