import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { ExportedContact, Scope } from '@posthorn/core'
import type { SubscriberStatus } from '@posthorn/core/ports/storage'
import { csvRow, type EmailRecipient, escapedFormulas, recipientTexts } from '@posthorn/core/ports/transport'
import { type CommandContext, projectScope } from './command-context.js'
import { CommandFailure, type Output } from './output.js'

type Sink = { readonly write: (text: string) => Promise<void>; readonly end: () => Promise<void> }

/** Readable by its owner alone, because it contains addresses. @throws CommandFailure if the file exists */
export const fileSink = async (file: string): Promise<Sink & { readonly abandon: () => void }> => {
  const stream = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  await once(stream, 'open').catch(({ code, message }: NodeJS.ErrnoException) => {
    throw new CommandFailure(
      code === 'EEXIST' ? `There is a file ${file} already.` : `${file} cannot be written (${message}).`,
      2,
    )
  })
  // If the disk fills up between two writes, an error without a listener would end the process.
  let failure: Error | undefined
  stream.on('error', (error) => {
    failure = error
  })
  const orFailure = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((error: Error) => {
      failure ??= error
    })
    if (failure) throw new CommandFailure(`${file} cannot be written (${failure.message}); nothing of it is kept.`)
  }
  return {
    write: async (text) => {
      const isTaken = failure !== undefined || stream.write(text)
      await orFailure(isTaken ? Promise.resolve() : once(stream, 'drain'))
    },
    end: async () => {
      if (!failure) stream.end()
      await orFailure(failure ? Promise.resolve() : finished(stream))
    },
    abandon: () => {
      stream.destroy()
      rmSync(file, { force: true })
    },
  }
}

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
  return escapedFormulas(typeof value === 'string' ? value : (value ?? []).join(','))
}

/** Cells that begin like a formula get a guard; an import removes it. */
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
  // Read the first page before writing, so that invalid requests fail early.
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

export type RecipientFileOptions = {
  readonly status?: EmailRecipient['status']
  readonly format?: 'csv' | 'ndjson'
}

const counting = (items: AsyncIterable<EmailRecipient>) => {
  let count = 0
  return {
    items: (async function* () {
      for await (const one of items) {
        count += 1
        yield one
      }
    })(),
    count: () => count,
  }
}

export const exportRecipients = async (
  { core, output }: CommandContext,
  scope: Scope,
  id: string,
  file: string | undefined,
  { status, format }: RecipientFileOptions,
): Promise<void> => {
  const isJson = /\.(?:ndjson|jsonl)$/i.test(file ?? '') || (output.json && file === undefined)
  const { items, count } = counting(await core.campaignReports.recipients(scope, id, { ...(status && { status }) }))
  const sink = file === undefined ? undefined : await fileSink(file)
  try {
    for await (const text of recipientTexts(items, format ?? (isJson ? 'ndjson' : 'csv')))
      await (sink?.write ?? output.write)(text)
    await sink?.end()
  } catch (error) {
    sink?.abandon()
    throw error
  }
  const said = `${count()} recipients${file === undefined ? '' : ` in ${file}`}`
  if (file === undefined) output.note(said)
  else output.result({ recipients: count(), file }, said)
}
