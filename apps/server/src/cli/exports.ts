import { once } from 'node:events'
import { createWriteStream, rmSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Scope } from '@posthorn/core'
import type { SubscriberStatus } from '@posthorn/core/ports/storage'
import { contactExportText, type EmailRecipient, recipientExportChunks } from '@posthorn/core/ports/transport'
import { type CommandContext, namedOrOnlyProjectScope } from './command-context.js'
import { CommandFailure, type CommandOutput } from './output.js'

type Sink = { readonly write: (text: string) => Promise<void>; readonly end: () => Promise<void> }

/** Only for its owner, because it contains addresses. @throws CommandFailure if the file exists */
export const exportFileSink = async (file: string): Promise<Sink & { readonly abandon: () => void }> => {
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

export type ContactExportCommandOptions = {
  readonly project?: string
  readonly list?: string
  readonly status?: SubscriberStatus
  readonly segment?: string
  readonly format?: 'csv' | 'ndjson'
}

const formatOf = (
  file: string | undefined,
  { format }: Pick<ContactExportCommandOptions, 'format'>,
  { json }: CommandOutput,
) => format ?? (/\.(?:ndjson|jsonl)$/i.test(file ?? '') || (json && file === undefined) ? 'ndjson' : 'csv')

const counting = <T>(items: AsyncIterable<T>) => {
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

/** Reads the first text before it makes a file: an invalid request makes none. */
const written = async (
  file: string | undefined,
  texts: AsyncGenerator<string>,
  output: CommandOutput,
): Promise<void> => {
  let next = await texts.next()
  const sink = file === undefined ? undefined : await exportFileSink(file)
  const write = sink?.write ?? output.write
  try {
    for (; !next.done; next = await texts.next()) await write(next.value)
    await sink?.end()
  } catch (error) {
    sink?.abandon()
    throw error
  }
}

const told = (output: CommandOutput, file: string | undefined, what: string, count: number): void => {
  const said = `${count} ${what}${file === undefined ? '' : ` in ${file}`}`
  if (file === undefined) output.note(said)
  else output.result({ [what]: count, file }, said)
}

export const exportContacts = async (
  context: CommandContext,
  file: string | undefined,
  options: ContactExportCommandOptions,
): Promise<void> => {
  const { core, output } = context
  const { list, status, segment } = options
  const scope = await namedOrOnlyProjectScope(context, options.project)
  const fields = (await core.customFields.list(scope)).items.map(({ name }) => name)
  const { items, count } = counting(
    core.contacts.export.contacts(scope, {
      filter: {
        ...(list && { subscriberListId: list }),
        ...(status && { subscriberStatus: status }),
        ...(segment && { segmentId: segment }),
      },
    }),
  )
  const format = formatOf(file, options, output)
  await written(
    file,
    contactExportText(items, { format, fields, hasStatus: list !== undefined, columns: 'imported' }),
    output,
  )
  told(output, file, 'contacts', count())
}

export type RecipientFileOptions = {
  readonly status?: EmailRecipient['status']
  readonly format?: 'csv' | 'ndjson'
}

export const exportRecipients = async (
  { core, output }: CommandContext,
  scope: Scope,
  id: string,
  file: string | undefined,
  { status, ...options }: RecipientFileOptions,
): Promise<void> => {
  const { items, count } = counting(await core.campaignReports.recipients(scope, id, { ...(status && { status }) }))
  await written(file, recipientExportChunks(items, formatOf(file, options, output)), output)
  told(output, file, 'recipients', count())
}
