import type { ExportedContact } from '@posthorn/core'
import type { SubscriberStatus } from '@posthorn/core/ports/storage'
import { csvRow, guarded } from '@posthorn/core/ports/transport'
import { type CommandContext, projectScope } from './command-context.js'
import { fileSink } from './file-sink.js'
import type { Output } from './output.js'

/** Options of `posthorn contacts export`. */
export type ExportFileOptions = {
  readonly project?: string
  readonly list?: string
  readonly status?: SubscriberStatus
  readonly segment?: string
  readonly format?: 'csv' | 'ndjson'
}

type Value = string | number | boolean | readonly string[] | undefined

const textOf = (value: Value): string => {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return guarded(typeof value === 'string' ? value : (value ?? []).join(','))
}

/** Contacts as CSV that an import accepts. Cells that begin like a formula get a guard; numbers stay unchanged. */
const csv = (customFields: readonly string[], withStatus: boolean) => {
  const fields = ['email', 'name', 'tags', ...customFields]
  const more = withStatus ? ['status'] : []
  return {
    header: csvRow([...fields, ...more]),
    row: ({ contact, subscriberStatus }: ExportedContact) => {
      const values: Readonly<Record<string, Value>> = contact
      return csvRow([...fields.map((field) => textOf(values[field])), ...(withStatus ? [subscriberStatus ?? ''] : [])])
    },
  }
}

const ndjson = {
  header: '',
  row: ({ contact, subscriberStatus }: ExportedContact) =>
    `${JSON.stringify({ ...contact, ...(subscriberStatus && { status: subscriberStatus }) })}\n`,
}

const formatOf = (file: string | undefined, { format }: ExportFileOptions, { json }: Output) =>
  format ?? (/\.(?:ndjson|jsonl)$/i.test(file ?? '') || (json && file === undefined) ? 'ndjson' : 'csv')

/** In characters. */
const writtenAtOnce = 65_536

/** Streams the contacts: memory does not grow with their number. */
export const exportContacts = async (
  context: CommandContext,
  file: string | undefined,
  options: ExportFileOptions,
): Promise<void> => {
  const { core, output } = context
  const { list, status, segment } = options
  const scope = await projectScope(context, options.project)
  const customFields = (await core.customFields.list(scope)).items.map(({ name }) => name)
  const { header, row } = formatOf(file, options, output) === 'csv' ? csv(customFields, list !== undefined) : ndjson
  const found = core.contacts.export(scope, {
    ...(list && { subscriberListId: list }),
    ...(status && { subscriberStatus: status }),
    ...(segment && { segmentId: segment }),
  })
  // Reads the first page before anything is written, so that invalid requests fail early.
  let next = await found.next()
  const sink = file === undefined ? undefined : await fileSink(file)
  const write = sink?.write ?? output.write
  let count = 0
  try {
    let pending = header
    for (; !next.done; next = await found.next()) {
      pending += row(next.value)
      count += 1
      if (pending.length < writtenAtOnce) continue
      await write(pending)
      pending = ''
    }
    await write(pending)
    await sink?.end()
  } catch (error) {
    sink?.abandon()
    throw error
  }
  const said = `${count} contacts${file === undefined ? '' : ` in ${file}`}`
  if (file === undefined) output.note(said)
  else output.result({ contacts: count, file }, said)
}
