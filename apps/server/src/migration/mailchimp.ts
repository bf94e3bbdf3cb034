import { basename } from 'node:path'
import { invalid } from '@posthorn/core/ports/runtime'
import { type ColumnMeanings, contactFileReader, type ExportedContactRow } from './contact-columns.js'
import { type CsvRecord, type ExportFile, findExportFiles, hasEnding } from './export-files.js'
import type { ExportMembership, MigrationContactItem, MigrationSource } from './items.js'
import { templateOfHtmlFile } from './template-files.js'
import { exportedInstant } from './values.js'

/**
 * Columns of published exports; times are read as UTC.
 * Kinds: https://mailchimp.com/help/view-unsubscribed-contacts/ and https://mailchimp.com/help/about-cleaned-contacts
 */
const columns: ColumnMeanings = {
  'Email Address': 'email',
  'First Name': 'firstName',
  'Last Name': 'lastName',
  TAGS: 'tags',
  MEMBER_RATING: 'ignored',
  OPTIN_TIME: 'joinedAt',
  OPTIN_IP: 'ignored',
  CONFIRM_TIME: 'ignored',
  CONFIRM_IP: 'ignored',
  LAST_CHANGED: 'changedAt',
  UNSUB_TIME: 'leftAt',
  CLEAN_TIME: 'leftAt',
  UNSUB_CAMPAIGN_TITLE: 'ignored',
  UNSUB_CAMPAIGN_ID: 'ignored',
  UNSUB_REASON: 'ignored',
  UNSUB_REASON_OTHER: 'ignored',
  CLEAN_CAMPAIGN_TITLE: 'ignored',
  CLEAN_CAMPAIGN_ID: 'ignored',
  LATITUDE: 'ignored',
  LONGITUDE: 'ignored',
  GMTOFF: 'ignored',
  DSTOFF: 'ignored',
  LEID: 'ignored',
  EUID: 'ignored',
}

const kinds = ['cleaned', 'unsubscribed', 'nonsubscribed', 'subscribed'] as const
type Kind = (typeof kinds)[number]

const expected =
  'Expected the unpacked export of an audience: a directory with files like subscribed_members_export_1a2b3c.csv, unsubscribed_… and cleaned_….'

/** By its name: the columns do not tell. The longer words first, because they contain the others. */
const kindOf = ({ name }: Pick<ExportFile, 'name'>): Kind | undefined => {
  const word = basename(name)
    .toLowerCase()
    .replace(/^non[-_ ]?/, 'non')
  return kinds.find((kind) => word.startsWith(kind))
}

const contactsIn = contactFileReader(columns, expected)

const consentOf = (kind: Kind, cells: CsvRecord['cells']): string => {
  const { OPTIN_TIME, OPTIN_IP, CONFIRM_TIME, CONFIRM_IP, UNSUB_TIME, UNSUB_REASON } = cells
  const event = (what: string, at?: string, from?: string) =>
    at || from ? [`${what}${at ? ` on ${at}` : ''}${from ? ` from ${from}` : ''}`] : []
  return [
    `Mailchimp: ${kind}`,
    ...event('opted in', OPTIN_TIME, OPTIN_IP),
    ...event('confirmed', CONFIRM_TIME, CONFIRM_IP),
    ...event('unsubscribed', UNSUB_TIME),
    ...(UNSUB_REASON ? [`because: ${UNSUB_REASON}`] : []),
  ]
    .join(', ')
    .slice(0, 1000)
}

/** `"Tag one","Tag, two"`: a row of CSV in a cell. */
const tagsIn = (text: string): readonly string[] =>
  [...text.matchAll(/"((?:[^"]|"")*)"|([^,]+)/g)]
    .map(([, quoted, plain = '']) => (quoted ?? plain).replaceAll('""', '"').trim())
    .filter((tag) => tag !== '')

const contactOf = (kind: Kind, list: string, { contact, known, cells }: ExportedContactRow): MigrationContactItem => {
  const joinedAt = exportedInstant(known.joinedAt) ?? exportedInstant(cells.CONFIRM_TIME)
  const changedAt = exportedInstant(known.leftAt) ?? exportedInstant(cells.CONFIRM_TIME) ?? joinedAt
  const membership: ExportMembership = {
    list,
    status: kind === 'subscribed' ? 'active' : 'unsubscribed',
    joinedAt,
    changedAt,
    consent: consentOf(kind, cells),
  }
  return {
    ...contact,
    tags: known.tags ? tagsIn(known.tags) : undefined,
    // Bought something, but never asked for mail.
    memberships: kind === 'nonsubscribed' ? [] : [membership],
    suppressed: kind === 'cleaned' ? { reason: 'bounce', at: exportedInstant(known.leftAt) } : undefined,
  }
}

export const mailchimpExportReader: MigrationSource = {
  name: 'Mailchimp',
  open: async (path, { listName = 'Mailchimp' }) => {
    const files = findExportFiles(path)
    const rank = (file: ExportFile) => kinds.indexOf(kindOf(file) ?? 'subscribed')
    const tables = files
      .filter((file) => hasEnding(file, 'csv') && kindOf(file))
      .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
    const templates = files.filter((file) => hasEnding(file, 'html', 'htm'))
    if (tables.length === 0) throw invalid(`${path} is no export of Mailchimp. ${expected}`)
    return {
      items: async function* () {
        yield [{ kind: 'list', key: listName, name: listName }]
        for (const file of tables) {
          const kind = kindOf(file) ?? 'subscribed'
          yield* contactsIn(file, (row) => contactOf(kind, listName, row))
        }
        for (const file of templates) yield [templateOfHtmlFile(file, { purpose: 'campaign', language: 'merge-tags' })]
      },
      close: () => {},
    }
  },
}
