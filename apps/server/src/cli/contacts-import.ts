import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { ImportRow } from '@posthorn/core'
import type { Command } from 'commander'
import { csvRows } from './csv-rows.js'
import { CommandFailure } from './output.js'
import { progressBar } from './progress-bar.js'
import { inWorkshop, projectScope, type Workshop } from './workshop.js'

type Options = {
  readonly project?: string
  readonly list?: string
  readonly status?: string
  readonly encoding?: string
  readonly restart?: boolean
}

/** How far an earlier import of the same file to the same place came. */
type Resume = { readonly of: string; readonly line: number }

const resumeFile = (file: string) => `${file}.import.json`
const errorFile = (file: string) => `${file}.errors.csv`

/** What has to be the same for an import to go on where another one broke off. */
const identityOf = (file: string, ...place: readonly (string | undefined)[]) => {
  const { size, mtimeMs } = statSync(file)
  return createHash('sha256')
    .update(JSON.stringify([size, mtimeMs, ...place]))
    .digest('hex')
}

const resumedLine = (file: string, of: string): number => {
  try {
    const resume = JSON.parse(readFileSync(resumeFile(file), 'utf8')) as Resume
    return resume.of === of ? resume.line : 0
  } catch {
    return 0
  }
}

const csvCell = (text: string) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`

const saveEvery = 500

const importFile = async (workshop: Workshop, file: string, { project, list, status, encoding, restart }: Options) => {
  if (!existsSync(file)) throw new CommandFailure(`There is no file ${file}.`, 2)
  const scope = await projectScope(workshop, project)
  const identity = identityOf(file, scope.projectId, list, status)
  const from = restart ? 0 : resumedLine(file, identity)
  if (from === 0) rmSync(errorFile(file), { force: true })
  else workshop.output.note(`Going on after line ${from}`)

  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 }
  const failed = (line: number, error: string) => {
    if (line <= from) return
    if (!existsSync(errorFile(file))) writeFileSync(errorFile(file), 'line,error\n')
    appendFileSync(errorFile(file), `${line},${csvCell(error)}\n`)
    counts.failed += 1
  }

  const total = statSync(file).size
  const bar = workshop.output.json ? undefined : progressBar('Importing')
  let bytes = 0
  const rows = csvRows(file, {
    encoding,
    broken: ({ line, error }) => failed(line, error),
    bytesRead: (n) => {
      bytes += n
    },
  })
  const fresh = async function* (): AsyncGenerator<ImportRow> {
    for await (const row of rows) if (row.line > from) yield row
  }
  let seen = 0
  for await (const result of workshop.core.contacts.import(scope, fresh(), {
    ...(list && { subscriberListId: list }),
    ...(status && { status: status as 'active' }),
  })) {
    if (result.ok) counts[result.outcome] += 1
    else failed(result.line, result.error)
    seen += 1
    if (seen % saveEvery !== 0) continue
    writeFileSync(resumeFile(file), JSON.stringify({ of: identity, line: result.line } satisfies Resume))
    bar?.show(bytes / Math.max(1, total), `${seen} rows`)
  }
  bar?.show(1, `${seen} rows`)
  bar?.end()
  rmSync(resumeFile(file), { force: true })
  const where = counts.failed > 0 ? `; see ${errorFile(file)}` : ''
  workshop.output.result(
    { ...counts, ...(counts.failed > 0 && { errors: errorFile(file) }) },
    `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} as they were, ${counts.failed} not taken${where}`,
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
    .option('--status <status>', 'active or unverified, for those who are not on the list yet')
    .option('--encoding <name>', 'of the file; found out unless given')
    .option('--restart', 'begin with the first line again, where an earlier import broke off')
    .description('take over contacts from a CSV file; what broke off goes on where it was')
    .action(inWorkshop(importFile))
}
