import { invalid } from '@posthorn/core/ports/runtime'
import { openTemporaryBuckets } from './buckets.js'
import {
  csvRecords,
  type ExportFile,
  findExportFiles,
  hasEnding,
  inspectExportCsv,
  isRecord,
  itemOrProblem,
} from './export-files.js'
import type {
  ExportedSuppression,
  ExportMembership,
  ExportPlace,
  MigrationContactItem,
  MigrationItem,
  MigrationListItem,
  MigrationSource,
  MigrationTemplateItem,
  OpenedExport,
  UnreadableRowItem,
} from './items.js'
import { type DumpRow, readPostgresDump } from './pg-dump.js'
import { exportedInstant, flatFields, jsonIn, textListOrUndefined } from './values.js'

/**
 * Tables: https://github.com/knadh/listmonk/blob/master/schema.sql
 * CSV: https://github.com/knadh/listmonk/blob/master/cmd/subscribers.go
 */
const csvHeadings = ['uuid', 'email', 'name', 'attributes', 'status', 'created_at', 'updated_at'] as const

const expected =
  'Expected a plain dump of listmonk’s database (pg_dump --data-only --no-owner -t lists -t subscribers -t subscriber_lists -t bounces -t templates listmonk > listmonk.sql), or its CSV export of subscribers.'

type List = { readonly item: MigrationListItem; readonly isDouble: boolean }

type Row =
  | ({ readonly table: 'subscribers' } & DumpRow)
  | ({ readonly table: 'subscriber_lists' } & DumpRow)
  | ({ readonly table: 'bounces' } & DumpRow)

type Values = DumpRow['values']

const listOf = ({ values }: DumpRow): readonly [string, List] => {
  const { id, name, type, optin, description } = values
  const isDouble = optin === 'double'
  const item: MigrationListItem = {
    kind: 'list',
    key: id ?? '',
    name: (name ?? '').replace(/\s+/g, ' '),
    ...(description && { description }),
    isPrivate: type !== 'public',
    ...(isDouble && { note: 'listmonk asked its subscribers to confirm. Set a double opt-in for the new list, too.' }),
  }
  return [item.key, { item, isDouble }]
}

const templateOf = (place: ExportPlace, { name, type, subject, body }: Values): MigrationTemplateItem => ({
  kind: 'template',
  place,
  name: name ?? '',
  subject: subject ?? '',
  purpose: type === 'tx' ? 'transactional' : 'campaign',
  format: 'html',
  source: body ?? '',
  language: 'go',
})

/** Lists with a single opt-in send to unconfirmed subscribers, too. */
const statusOf = (status: string | null | undefined, isDouble: boolean): ExportMembership['status'] => {
  if (status === 'unsubscribed') return 'unsubscribed'
  return status === 'unconfirmed' && isDouble ? 'unverified' : 'active'
}

const consentOf = ({ status, created_at, meta }: Values): string => {
  const details = jsonIn(meta)
  const ip = isRecord(details) && typeof details.optin_ip === 'string' ? `, from ${details.optin_ip}` : ''
  const at = exportedInstant(created_at)
  return `listmonk: ${status ?? 'subscribed'}${at ? `, added on ${at}` : ''}${ip}`.slice(0, 1000)
}

const membershipOf = (values: Values, lists: ReadonlyMap<string, List>): ExportMembership | undefined => {
  const list = lists.get(values.list_id ?? '')
  if (!list) return undefined
  const status = statusOf(values.status, list.isDouble)
  const [joinedAt, changedAt] = [exportedInstant(values.created_at), exportedInstant(values.updated_at)]
  return {
    list: list.item.key,
    status,
    joinedAt,
    changedAt,
    consent: consentOf(values),
  }
}

/** Soft bounces do not stop mail in listmonk either. */
const suppressedOf = (
  { status, updated_at }: Values,
  bounces: readonly { readonly values: Values }[],
): ExportedSuppression | undefined => {
  const worst = (type: string) => bounces.find(({ values }) => values.type === type)
  const complaint = worst('complaint')
  if (complaint) return { reason: 'complaint', at: exportedInstant(complaint.values.created_at) }
  const hard = worst('hard')
  if (hard) return { reason: 'bounce', at: exportedInstant(hard.values.created_at) }
  if (status === 'blocklisted' || status === 'disabled') return { reason: status, at: exportedInstant(updated_at) }
  return undefined
}

type Subscriber = Pick<MigrationContactItem, 'memberships' | 'suppressed'> & {
  readonly place: ExportPlace
  readonly values: Values
}

const contactOf = ({ place, values, memberships, suppressed }: Subscriber): MigrationContactItem => {
  const attributes = jsonIn(values.attribs ?? values.attributes)
  const tags = isRecord(attributes) ? textListOrUndefined(attributes.tags) : undefined
  const fields = flatFields(isRecord(attributes) && tags ? { ...attributes, tags: undefined } : attributes)
  const name = (values.name ?? '').replace(/\s+/g, ' ').trim()
  return {
    kind: 'contact',
    place,
    email: values.email ?? '',
    name: name || undefined,
    tags,
    fields,
    memberships,
    suppressed,
  }
}

const dumpExport = (file: ExportFile): OpenedExport => {
  const buckets = openTemporaryBuckets<Row>()
  const lists = new Map<string, List>()
  const templates: MigrationTemplateItem[] = []
  const problems: UnreadableRowItem[] = []
  const counts = { soft: 0 }
  let isRead = false
  const placeOf = (line: number): ExportPlace => ({ file: file.name, line })

  const read = async (): Promise<void> => {
    const into = (table: Row['table'], key: 'id' | 'subscriber_id') => (row: DumpRow) =>
      buckets.add(Number(row.values[key]), { table, ...row } as Row)
    const tables = await readPostgresDump(file.path, file.name, {
      tables: {
        lists: (row) => void lists.set(...listOf(row)),
        templates: ({ line, values }) => void templates.push(templateOf(placeOf(line), values)),
        subscribers: into('subscribers', 'id'),
        subscriber_lists: into('subscriber_lists', 'subscriber_id'),
        bounces: (row) => {
          if (row.values.type === 'soft') counts.soft += 1
          else into('bounces', 'subscriber_id')(row)
        },
      },
      broken: ({ line, error }) => void problems.push({ kind: 'problem', place: placeOf(line), error }),
      pause: buckets.flush,
    })
    const missing = ['lists', 'subscribers', 'subscriber_lists'].filter((table) => !tables.has(table))
    if (missing.length > 0) throw invalid(`${file.name} has no table ${missing.join(', ')}. ${expected}`)
    await buckets.end()
    isRead = true
  }

  const contactsOf = (rows: readonly Row[]): readonly MigrationItem[] => {
    const memberships = new Map<string, ExportMembership[]>()
    const bounces = new Map<string, DumpRow[]>()
    for (const { table, line, values } of rows) {
      const id = values.subscriber_id ?? ''
      if (table === 'bounces') bounces.set(id, [...(bounces.get(id) ?? []), { line, values }])
      if (table !== 'subscriber_lists') continue
      const membership = membershipOf(values, lists)
      if (membership) memberships.set(id, [...(memberships.get(id) ?? []), membership])
    }
    return rows
      .filter(({ table }) => table === 'subscribers')
      .map(({ line, values }) => {
        const id = values.id ?? ''
        const place = placeOf(line)
        return itemOrProblem(place, () =>
          contactOf({
            place,
            values,
            memberships: memberships.get(id) ?? [],
            suppressed: suppressedOf(values, bounces.get(id) ?? []),
          }),
        )
      })
  }

  return {
    items: async function* () {
      if (!isRead) await read()
      yield [...lists.values()].map(({ item }) => item)
      yield templates
      yield problems
      yield counts.soft > 0 ? [{ kind: 'left-out', what: 'soft bounces', count: counts.soft }] : []
      for (const rows of buckets.each()) yield contactsOf(rows)
    },
    close: buckets.close,
  }
}

const isSubscriberCsv = (headings: readonly string[]) =>
  csvHeadings.slice(1, 5).every((name) => headings.includes(name))

const csvExport = (files: readonly ExportFile[], listName: string | undefined): OpenedExport => {
  const memberships = ({ created_at, status = '' }: Readonly<Record<string, string>>): readonly ExportMembership[] => {
    if (listName === undefined) return []
    const joinedAt = exportedInstant(created_at)
    const consent = `listmonk: subscriber ${status}${joinedAt ? `, added on ${joinedAt}` : ''}`
    return [{ list: listName, status: 'active', joinedAt, consent }]
  }
  return {
    items: async function* () {
      if (listName !== undefined) yield [{ kind: 'list', key: listName, name: listName }]
      for (const file of files) {
        const csv = await inspectExportCsv(file)
        if (!isSubscriberCsv(csv.headings))
          throw invalid(
            `${file.name} is no export of listmonk: its first line should be ${csvHeadings.join(',')}. ${expected}`,
          )
        yield* csvRecords(csv, ({ place, cells }) =>
          contactOf({ place, values: cells, memberships: memberships(cells), suppressed: suppressedOf(cells, []) }),
        )
      }
    },
    close: () => {},
  }
}

export const listmonkExportReader: MigrationSource = {
  name: 'listmonk',
  open: async (path, { listName }) => {
    const files = findExportFiles(path)
    const [dump, another] = files.filter((file) => hasEnding(file, 'sql', 'dump'))
    if (another) throw invalid(`${path} has several dumps. Name one of them.`)
    if (dump) return dumpExport(dump)
    const tables = files.filter((file) => hasEnding(file, 'csv'))
    if (tables.length === 0) throw invalid(`${path} is no export of listmonk. ${expected}`)
    return csvExport(tables, listName)
  },
}
