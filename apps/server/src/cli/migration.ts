import { createReadStream } from 'node:fs'
import { ImportInterrupted } from '@posthorn/core'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import { findExportFiles } from '../migration/export-files.js'
import type { MigrationSource } from '../migration/items.js'
import { keilaExportReader } from '../migration/keila.js'
import { listmonkExportReader } from '../migration/listmonk.js'
import { mailchimpExportReader } from '../migration/mailchimp.js'
import { mailjetExportReader } from '../migration/mailjet.js'
import { planMigration } from '../migration/plan.js'
import { sendgridExportReader } from '../migration/sendgrid.js'
import { carryOutMigration, failedRowHeadings, suppressionMigrationCounters } from '../migration/writer.js'
import { type CommandContext, namedOrOnlyProjectScope } from './command-context.js'
import { sha256OfFile, temporaryFailureExitCode } from './contacts-import.js'
import { importJournal } from './import-journal.js'
import { type MigrationResult, migrationReportJson, migrationReportText } from './migration-report.js'
import { CommandFailure } from './output.js'

export const exportReaders = {
  listmonk: listmonkExportReader,
  mailchimp: mailchimpExportReader,
  sendgrid: sendgridExportReader,
  mailjet: mailjetExportReader,
  keila: keilaExportReader,
} satisfies Record<string, MigrationSource>
export type MigrationSystemName = keyof typeof exportReaders

export type MigrationOptions = {
  readonly project?: string
  readonly listName?: string
  readonly dryRun?: boolean
  readonly restart?: boolean
}

const digests = async (path: string): Promise<readonly string[]> => {
  const found: string[] = []
  for (const { path: file, name } of findExportFiles(path))
    found.push(name, await sha256OfFile(() => createReadStream(file)))
  return found
}

/** Journal and failed rows stand beside the export, not inside its directory. */
const journalName = (path: string) => path.replace(/[/\\]+$/, '')

/** Temporary files contain addresses: a signal must not leave them. Returns what undoes it. */
const closingAtSignals = (close: () => void): (() => void) => {
  const undo = (['SIGINT', 'SIGTERM'] as const).map((signal) => {
    const end = () => {
      close()
      process.kill(process.pid, signal)
    }
    process.once(signal, end)
    return () => process.off(signal, end)
  })
  return () => {
    for (const one of undo) one()
  }
}

const interrupted = (error: unknown): unknown =>
  error instanceof ImportInterrupted || error instanceof StoreUnavailable
    ? new CommandFailure(`${error.message}\nRun the same command again to go on from there.`, temporaryFailureExitCode)
    : error

/**
 * A dry run only reports.
 * @throws Refusal `invalid` for a wrong export, and CommandFailure with exit code 75 if the store fails; the same command continues
 */
export const migrateFrom = async (
  context: CommandContext,
  system: MigrationSystemName,
  path: string,
  { project, listName, dryRun = false, restart = false }: MigrationOptions,
): Promise<void> => {
  const { output } = context
  const scope = await namedOrOnlyProjectScope(context, project)
  const reader: MigrationSource = exportReaders[system]
  const source = await reader.open(path, { listName })
  const leaveSignals = closingAtSignals(source.close)
  try {
    const plan = await planMigration(context.core, scope, reader.name, source)
    if (dryRun) return output.result(migrationReportJson(reader.name, plan), migrationReportText(reader.name, plan))
    const of = JSON.stringify([system, scope.projectId, listName, await digests(path)])
    const journal = importJournal(journalName(path), of, {
      restart,
      headings: failedRowHeadings,
      delimiter: ',',
      position: 'item',
      counters: suppressionMigrationCounters,
    })
    if (journal.from > 0) output.note(`Going on after item ${journal.from} of ${plan.itemCount}`)
    const bar = output.progress('Migrating')
    const progress = (done: number) => bar?.show(done / plan.itemCount, `${done} of ${plan.itemCount}`)
    const templates = await carryOutMigration(
      { core: context.core, scope, system: reader.name, progress },
      source,
      plan,
      journal,
    )
      .catch((error: unknown) => {
        throw interrupted(error)
      })
      .finally(() => bar?.end())
    const errors = journal.end()
    const { suppressed, suppressedBefore, ...contacts } = journal.counts
    const done: MigrationResult = {
      contacts,
      suppressions: { created: suppressed, existing: suppressedBefore },
      templates,
      ...(errors && { errors }),
    }
    output.result(migrationReportJson(reader.name, plan, done), migrationReportText(reader.name, plan, done))
  } finally {
    leaveSignals()
    source.close()
  }
}
