import { createReadStream } from 'node:fs'
import { type CommandContext, projectScope } from '../cli/command-context.js'
import { digestOf } from '../cli/contacts-import.js'
import { importJournal } from '../cli/import-journal.js'
import { exportFiles } from './export-files.js'
import type { Reader } from './items.js'
import { keila } from './keila.js'
import { listmonk } from './listmonk.js'
import { mailchimp } from './mailchimp.js'
import { mailjet } from './mailjet.js'
import { planOf } from './plan.js'
import { type Done, reportJson, reportText } from './report.js'
import { sendgrid } from './sendgrid.js'
import { failureHeadings, migrate, suppressionCounters } from './writer.js'

export const readers = { listmonk, mailchimp, sendgrid, mailjet, keila } satisfies Record<string, Reader>
export type SystemName = keyof typeof readers

export type MigrationOptions = {
  readonly project?: string
  readonly listName?: string
  readonly dryRun?: boolean
  readonly restart?: boolean
}

const digests = async (path: string): Promise<readonly string[]> => {
  const found: string[] = []
  for (const { path: file, name } of exportFiles(path)) found.push(name, await digestOf(() => createReadStream(file)))
  return found
}

/** Journal and failed rows stand beside the export, not inside its directory. */
const journalName = (path: string) => path.replace(/[/\\]+$/, '')

/**
 * Reads an export of another system and brings it into a project; a dry run only reports. @throws CommandFailure for a
 * wrong export, and with exit code 75 if the store fails; the same command continues
 */
export const migrateFrom = async (
  context: CommandContext,
  system: SystemName,
  path: string,
  { project, listName, dryRun = false, restart = false }: MigrationOptions,
): Promise<void> => {
  const { output } = context
  const scope = await projectScope(context, project)
  const reader: Reader = readers[system]
  const source = await reader.open(path, { listName })
  try {
    const plan = await planOf(context, scope, reader.name, source)
    if (dryRun) return output.result(reportJson(reader.name, plan), reportText(reader.name, plan))
    const of = JSON.stringify([system, scope.projectId, listName, await digests(path)])
    const journal = importJournal(journalName(path), of, {
      restart,
      headings: failureHeadings,
      delimiter: ',',
      position: 'item',
      counters: suppressionCounters,
    })
    if (journal.from > 0) output.note(`Going on after item ${journal.from} of ${plan.itemCount}`)
    const templates = await migrate({ context, scope, system: reader.name }, source, plan, journal)
    const errors = journal.end()
    const { suppressed, suppressedBefore, ...contacts } = journal.counts
    const done: Done = {
      contacts,
      suppressions: { created: suppressed, existing: suppressedBefore },
      templates,
      ...(errors && { errors }),
    }
    output.result(reportJson(reader.name, plan, done), reportText(reader.name, plan, done))
  } finally {
    source.close()
  }
}
