import { basename } from 'node:path'
import { invalid } from '@posthorn/core/ports/runtime'
import { type ColumnMeanings, contactFileReader, type ExportedContactRow } from './contact-columns.js'
import {
  type ExportFile,
  type ExportFileRecord,
  findExportFiles,
  hasEnding,
  isRecord,
  jsonRecords,
} from './export-files.js'
import type { ExportMembership, MigrationItem, MigrationSource, MigrationTemplateItem } from './items.js'
import { templateOfHtmlFile } from './template-files.js'
import { exportedInstant, isYesValue, textOrEmpty } from './values.js'

/**
 * Contact lists as CSV: https://www.mailjet.com/docs/manage_contact_lists
 * Names of the API: https://dev.mailjet.com/reference/email/contacts/bulk-contact-management/
 */
const columns: ColumnMeanings = {
  Email: 'email',
  'Email address': 'email',
  'Contact email': 'email',
  firstname: 'firstName',
  'First name': 'firstName',
  // Mailjet's own property for the last name.
  name: 'lastName',
  lastname: 'lastName',
  'Last name': 'lastName',
  Status: 'status',
  IsUnsubscribed: 'status',
  Unsubscribed: 'status',
  Unsub: 'status',
  SubscribedAt: 'joinedAt',
  'Created at': 'joinedAt',
  'Subscription date': 'joinedAt',
  UnsubscribedAt: 'leftAt',
  'Unsubscription date': 'leftAt',
  ContactID: 'ignored',
}

const expected =
  'Expected contact lists as CSV, each in a file named after the list, the exclusion list in a file whose name begins with exclusion, and templates as HTML or as JSON of …/template/{id}/detailcontent.'

const contactsIn = contactFileReader(columns, expected)

const isExclusion = ({ name }: ExportFile) => basename(name).toLowerCase().startsWith('exclu')

const hasLeft = (status: string | undefined, leftAt: string | undefined) =>
  isYesValue(status) || /^unsub/i.test(status ?? '') || leftAt !== undefined

const contactOf = (list: string, { contact, known }: ExportedContactRow): MigrationItem => {
  const [joinedAt, leftAt] = [exportedInstant(known.joinedAt), exportedInstant(known.leftAt)]
  const isGone = hasLeft(known.status, known.leftAt)
  const membership: ExportMembership = {
    list,
    status: isGone ? 'unsubscribed' : 'active',
    joinedAt,
    changedAt: leftAt,
    consent:
      `Mailjet: ${isGone ? 'unsubscribed' : 'subscribed'}${known.joinedAt ? `, since ${known.joinedAt}` : ''}`.slice(
        0,
        1000,
      ),
  }
  return { ...contact, memberships: [membership] }
}

const exclusionOf = ({ contact: { place, email } }: ExportedContactRow): MigrationItem => ({
  kind: 'suppression',
  place,
  email,
  reason: 'unsubscribed',
})

/** The answer of the API to `GET /v3/REST/template/{id}/detailcontent`. */
const templateOf = ({ place, value }: ExportFileRecord): MigrationTemplateItem => {
  const html = textOrEmpty(value['Html-part'])
  const headers = isRecord(value.Headers) ? value.Headers : {}
  const name = basename(place.file).replace(/\.json$/i, '')
  return {
    kind: 'template',
    place,
    name: textOrEmpty(value.Name) || name,
    subject: textOrEmpty(headers.Subject) || name,
    purpose: 'transactional',
    format: html === '' ? 'text' : 'html',
    source: html || textOrEmpty(value['Text-part']),
    language: 'mailjet',
  }
}

const jsonItem = (one: ExportFileRecord): MigrationItem => {
  const { place, value } = one
  if ('Html-part' in value || 'Text-part' in value) return templateOf(one)
  if ('Email' in value && isYesValue(value.IsExcludedFromCampaigns))
    return { kind: 'suppression', place, email: textOrEmpty(value.Email), reason: 'unsubscribed' }
  return { kind: 'problem', place, error: `It is no template and no excluded contact. ${expected}` }
}

export const mailjetExportReader: MigrationSource = {
  name: 'Mailjet',
  open: async (path, { listName }) => {
    const files = findExportFiles(path)
    const tables = files.filter((file) => hasEnding(file, 'csv'))
    const documents = files.filter((file) => hasEnding(file, 'json', 'ndjson'))
    const pages = files.filter((file) => hasEnding(file, 'html', 'htm'))
    if (tables.length + documents.length + pages.length === 0)
      throw invalid(`${path} is no export of Mailjet. ${expected}`)
    const listOf = ({ name }: ExportFile) => listName ?? basename(name).replace(/\.csv$/i, '')
    const lists = tables.filter((file) => !isExclusion(file))

    return {
      items: async function* () {
        yield [...new Set(lists.map(listOf))].map((name) => ({ kind: 'list', key: name, name }))
        for (const file of tables.filter(isExclusion)) yield* contactsIn(file, exclusionOf)
        for (const file of documents) yield* jsonRecords(file, jsonItem)
        for (const file of lists) yield* contactsIn(file, (row) => contactOf(listOf(file), row))
        for (const file of pages) yield [templateOfHtmlFile(file, { purpose: 'transactional', language: 'mailjet' })]
      },
      close: () => {},
    }
  },
}
