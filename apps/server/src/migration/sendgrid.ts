import { invalid } from '@posthorn/core/ports/runtime'
import { type ColumnMeanings, contactFileReader, type ExportedContactRow, namesAsFields } from './contact-columns.js'
import {
  type CsvRecord,
  csvRecords,
  type ExportFile,
  type ExportFileRecord,
  findExportFiles,
  hasEnding,
  inspectExportCsv,
  isRecord,
  jsonRecords,
} from './export-files.js'
import type {
  ExportedSuppressionReason,
  ExportMembership,
  MigrationContactItem,
  MigrationItem,
  MigrationListItem,
  MigrationSource,
  MigrationTemplateItem,
} from './items.js'
import { exportedInstant, flatFields, fullName, textOrEmpty } from './values.js'

/**
 * Contacts: https://www.twilio.com/docs/sendgrid/api-reference/contacts/export-contacts and
 * https://twilio.com/docs/sendgrid/api-reference/contacts
 */
const columns: ColumnMeanings = {
  EMAIL: 'email',
  FIRST_NAME: 'firstName',
  LAST_NAME: 'lastName',
  CREATED_AT: 'joinedAt',
  UPDATED_AT: 'changedAt',
  CONTACT_ID: 'ignored',
  PHONE_NUMBER_ID: 'ignored',
  ANONYMOUS_ID: 'ignored',
}

/** Keys of contacts that are no fields. */
const notFields = new Set([
  ...['email', 'id', 'contact_id', 'list_ids', 'segment_ids', 'created_at', 'updated_at', 'custom_fields'],
  ...['first_name', 'last_name', '_metadata', 'phone_number_id', 'anonymous_id'],
])

/** Kinds of `/v3/suppression/…` and `/v3/asm/…` by file name: the columns do not tell. */
const suppressionFiles: readonly (readonly [word: RegExp, kind: ExportedSuppressionReason | 'block' | 'group'])[] = [
  [/bounce/, 'bounce'],
  [/spam/, 'complaint'],
  [/invalid/, 'invalid'],
  [/block/, 'block'],
  [/group|asm/, 'group'],
  [/unsubscribe/, 'unsubscribed'],
]

const kindOf = ({ name }: ExportFile) => suppressionFiles.find(([word]) => word.test(name.toLowerCase()))?.[1]

const expected =
  'Expected the contacts export (CSV or JSON), suppressions in files named after their kind (bounces.csv, spam_reports.csv, unsubscribes.csv, invalid_emails.csv, blocks.csv, group_unsubscribes.csv; or .json), lists.json and templates as JSON.'

const contactsIn = contactFileReader(columns, expected)

type Lists = { readonly named: ReadonlyMap<string, MigrationListItem>; readonly all: readonly MigrationListItem[] }

const membershipIn = (list: string, joined: unknown): ExportMembership => {
  const joinedAt = exportedInstant(joined)
  return {
    list,
    status: 'active',
    joinedAt,
    consent: `SendGrid: contact${joinedAt ? ` since ${joinedAt}` : ''}`,
  }
}

const csvContact = (
  { contact, known }: ExportedContactRow,
  [list]: readonly MigrationListItem[],
): MigrationContactItem => ({ ...contact, memberships: list ? [membershipIn(list.key, known.joinedAt)] : [] })

const jsonContact = ({ place, value }: ExportFileRecord, { named, all }: Lists): MigrationContactItem => {
  const ids = Array.isArray(value.list_ids) ? value.list_ids.map(String) : []
  const lists = ids.flatMap((id) => named.get(id) ?? [])
  const [first] = all
  const on = named.size > 0 ? lists : first ? [first] : []
  const [firstName, lastName] = [textOrEmpty(value.first_name), textOrEmpty(value.last_name)]
  const others = Object.fromEntries(Object.entries(value).filter(([key]) => !notFields.has(key.toLowerCase())))
  return {
    kind: 'contact',
    place,
    email: textOrEmpty(value.email),
    name: fullName(firstName, lastName),
    fields: { ...namesAsFields(firstName, lastName), ...flatFields(others), ...flatFields(value.custom_fields) },
    memberships: on.map(({ key }) => membershipIn(key, value.created_at)),
  }
}

/** https://www.twilio.com/docs/sendgrid/api-reference/transactional-templates-versions */
const templatesIn = ({ place, value }: ExportFileRecord): readonly MigrationTemplateItem[] => {
  const versions = (Array.isArray(value.versions) ? value.versions : []).filter(isRecord)
  const active = versions.find((one) => one.active === 1) ?? versions[0]
  if (!active) return []
  const html = textOrEmpty(active.html_content)
  const isLegacy = value.generation === 'legacy'
  const isWithoutContent = html === '' && textOrEmpty(active.plain_content) === ''
  return [
    {
      kind: 'template',
      place,
      name: textOrEmpty(value.name),
      subject: textOrEmpty(active.subject),
      purpose: 'transactional',
      format: html === '' ? 'text' : 'html',
      source: html || textOrEmpty(active.plain_content),
      language: 'handlebars',
      ...(isLegacy && { obstacle: 'It is a legacy template with substitution tags, and not a dynamic template.' }),
      ...(isWithoutContent && {
        obstacle: 'The file has no html_content. Request each template by its id: GET /v3/templates/{id}.',
      }),
    },
  ]
}

const isList = ({ value }: ExportFileRecord) => 'contact_count' in value && typeof value.name === 'string'

/** Somebody who left a group left a kind of newsletter; Posthorn keeps that on the lists. */
const suppressionOf = (
  kind: ExportedSuppressionReason | 'group',
  { place, cells }: CsvRecord,
  lists: readonly MigrationListItem[],
): MigrationItem => {
  const email = cells.email ?? cells.Email ?? cells.EMAIL ?? ''
  const at = exportedInstant(cells.created ?? cells.created_at ?? cells.Created)
  if (kind !== 'group') return { kind: 'suppression', place, email, reason: kind, at }
  const group = cells.group_name ?? cells.group_id
  const consent = `SendGrid: unsubscribed from ${group ? `the group ${group.slice(0, 200)}` : 'a group'}`
  const memberships = lists.map(({ key }) => ({
    list: key,
    status: 'unsubscribed' as const,
    ...(at && { joinedAt: at, changedAt: at }),
    consent,
  }))
  return { kind: 'contact', place, email, fields: {}, memberships }
}

const leftOut = (count: number): readonly MigrationItem[] =>
  count === 0 ? [] : [{ kind: 'left-out', what: 'blocks, which are temporary', count }]

export const sendgridExportReader: MigrationSource = {
  name: 'SendGrid',
  open: async (path, { listName }) => {
    const files = findExportFiles(path)
    const [tables, documents] = [
      files.filter((file) => hasEnding(file, 'csv')),
      files.filter((file) => hasEnding(file, 'json', 'ndjson', 'jsonl')),
    ]
    if (tables.length + documents.length === 0) throw invalid(`${path} is no export of SendGrid. ${expected}`)

    const listsOf = async (): Promise<Lists> => {
      const named = new Map<string, MigrationListItem>()
      for (const file of documents)
        for await (const some of jsonRecords(file, (one) => one)) {
          for (const one of some)
            if (!('kind' in one) && isList(one)) {
              const { id, name } = one.value
              named.set(String(id), { kind: 'list', key: String(id), name: String(name) })
            }
          // A file holds records of one kind.
          break
        }
      const other = listName ?? 'SendGrid'
      const all =
        named.size > 0 && listName === undefined
          ? [...named.values()]
          : [{ kind: 'list', key: other, name: other } as const]
      return { named: listName === undefined ? named : new Map(), all }
    }

    const suppressions = async function* ({ all }: Lists): AsyncGenerator<readonly MigrationItem[]> {
      let blocks = 0
      for (const file of [...tables, ...documents]) {
        const kind = kindOf(file)
        if (!kind) continue
        const itemOf = (record: CsvRecord): readonly MigrationItem[] => {
          if (kind !== 'block') return [suppressionOf(kind, record, all)]
          blocks += 1
          return []
        }
        if (hasEnding(file, 'csv'))
          for await (const items of csvRecords(await inspectExportCsv(file), itemOf)) yield items.flat()
        else
          for await (const items of jsonRecords(file, ({ place, value }) =>
            itemOf({ place, cells: flatFields(value) }),
          ))
            yield items.flat()
      }
      yield leftOut(blocks)
    }

    const contacts = async function* (lists: Lists): AsyncGenerator<readonly MigrationItem[]> {
      for (const file of tables.filter((one) => !kindOf(one)))
        yield* contactsIn(file, (row) => csvContact(row, lists.all))
      const itemsOf = (one: ExportFileRecord): readonly MigrationItem[] => {
        if (isList(one)) return []
        if ('versions' in one.value) return templatesIn(one)
        if ('email' in one.value) return [jsonContact(one, lists)]
        return [{ kind: 'problem', place: one.place, error: `It is no contact, list or template. ${expected}` }]
      }
      for (const file of documents.filter((one) => !kindOf(one)))
        for await (const items of jsonRecords(file, itemsOf)) yield items.flat()
    }

    return {
      items: async function* () {
        const lists = await listsOf()
        yield lists.all
        yield* suppressions(lists)
        yield* contacts(lists)
      },
      close: () => {},
    }
  },
}
