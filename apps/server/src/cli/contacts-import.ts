import { statSync } from 'node:fs'
import type { ImportRow } from '@posthorn/core'
import { type Command, Option } from 'commander'
import { columnsOf } from './csv-columns.js'
import { examined } from './csv-encoding.js'
import { csvRows } from './csv-rows.js'
import { importJournal } from './import-journal.js'
import { CommandFailure } from './output.js'
import { progressBar } from './progress-bar.js'
import { inWorkshop, projectScope, type Workshop } from './workshop.js'

type Options = {
  readonly project?: string
  readonly list?: string
  readonly status?: 'active' | 'unverified'
  readonly encoding?: string
  readonly restart?: boolean
}

const assertFile = (file: string) => {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new CommandFailure(`There is no file ${file}.`, 2)
}

const assertEncoding = (name: string | undefined) => {
  try {
    new TextDecoder(name)
  } catch {
    throw new CommandFailure(`--encoding: ${name} is not known; utf-8, utf-16le and windows-1252 are, for example`, 2)
  }
}

/** Rows between two notes of how far it is. */
const saveEvery = 500

const importFile = async (workshop: Workshop, file: string, { project, list, status, encoding, restart }: Options) => {
  assertFile(file)
  assertEncoding(encoding)
  const { core, output } = workshop
  const scope = await projectScope(workshop, project)
  const customFields = (await core.customFields.list(scope)).items.map(({ name }) => name)
  const seen = await examined(file)
  const place = [seen.digest, scope.projectId, list, status, encoding]
  const journal = importJournal(file, JSON.stringify(place), { restart: restart === true })
  if (journal.from > 0) output.note(`Going on after line ${journal.from}`)

  const total = statSync(file).size
  const bar = output.json ? undefined : progressBar('Importing')
  let bytes = 0
  const rows = csvRows(file, {
    encoding: encoding ?? seen.encoding,
    columns: (headings) => columnsOf(headings, customFields),
    broken: journal.failed,
    bytesRead: (n) => {
      bytes += n
    },
  })
  const fresh = async function* (): AsyncGenerator<ImportRow> {
    for await (const row of rows) if (row.line > journal.from) yield row
  }
  let count = 0
  for await (const result of core.contacts.import(scope, fresh(), {
    ...(list && { subscriberListId: list }),
    ...(status && { status }),
  })) {
    if (result.ok) journal.counts[result.outcome] += 1
    else journal.failed(result)
    count += 1
    if (count % saveEvery !== 0) continue
    journal.done(result.line)
    bar?.show(bytes / total, `${count} rows`)
  }
  bar?.show(1, `${count} rows`)
  bar?.end()
  const errors = journal.end()
  const { created, updated, unchanged, failed } = journal.counts
  output.result(
    { ...journal.counts, ...(errors && { errors }) },
    `${created} created, ${updated} updated, ${unchanged} as they were, ${failed} not taken${errors ? `; see ${errors}` : ''}`,
  )
}

/** `posthorn contacts import`. */
export const contactCommands = (program: Command): void => {
  program
    .command('contacts')
    .description('contacts of a project')
    .command('import')
    .argument('<file>', 'CSV with a header: email, name, tags, and custom fields by name')
    .option('--project <id>', 'the project, where there are several')
    .option('--list <id>', 'subscribe them to this list, too')
    .addOption(
      new Option('--status <status>', 'for those who are not on the list yet').choices(['active', 'unverified']),
    )
    .option('--encoding <name>', 'of the file; found out unless given')
    .option('--restart', 'begin with the first line again, where an earlier import broke off')
    .description('take over contacts from a CSV file; what broke off goes on where it was')
    .action(inWorkshop(importFile))
}
