import type { Scope } from '@posthorn/core'
import { type EmailRecipient, recipientTexts } from '@posthorn/core/ports/transport'
import type { CommandContext } from './command-context.js'
import { fileSink } from './file-sink.js'

/** Options of `posthorn campaign recipients`. */
export type RecipientFileOptions = {
  readonly status?: EmailRecipient['status']
  readonly format?: 'csv' | 'ndjson'
}

/** Counts items as they pass. */
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

/** Streams the recipients: memory does not grow with their number. */
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
