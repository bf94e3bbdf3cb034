import type { ExportPlace } from '../migration/items.js'
import type { MigrationPlan } from '../migration/plan.js'
import type { PlannedTemplate } from '../migration/template-plan.js'
import type { TemplateWriteResult } from '../migration/writer.js'
import { shortenedList } from './csv-columns.js'
import { textTable } from './output.js'

export type MigrationResult = {
  readonly contacts: Readonly<Record<'created' | 'updated' | 'unchanged' | 'failed', number>>
  readonly suppressions: { readonly created: number; readonly existing: number }
  readonly templates: readonly TemplateWriteResult[]
  /** The file of failed rows. */
  readonly errors?: string | undefined
}

const placeText = ({ file, line }: ExportPlace) => `${file}, line ${line}`

const problemText = ({ part, line, column, construct, reason }: PlannedTemplate['problems'][number]) => {
  const where = line === undefined ? part : `${part}, line ${line}, column ${column}`
  return `    ${where}: ${construct === undefined ? '' : `${construct.replace(/\s+/g, ' ')} – `}${reason}`
}

const fateOf = ({ problems, target }: PlannedTemplate, hasList: boolean): string => {
  if (problems.length > 0) return 'cannot be translated'
  return target === 'transactional email' || hasList ? target : 'has no list to be on; name one with --list-name'
}

const sections = (plan: MigrationPlan): readonly (readonly [heading: string, lines: readonly string[]])[] => {
  const { lists, fields, contacts, suppressions, templates, leftOut } = plan
  return [
    [
      'Lists',
      lists.length === 0
        ? []
        : [
            textTable([
              ['NAME', 'ACTIVE', 'UNVERIFIED', 'UNSUBSCRIBED', ''],
              ...lists.map(({ name, active, unverified, unsubscribed, existing }) => [
                name,
                ...[active, unverified, unsubscribed].map(String),
                existing === undefined ? 'new' : 'exists',
              ]),
            ]),
            ...lists.flatMap(({ name, note }) => (note === undefined ? [] : [`${name}: ${note}`])),
          ],
    ],
    [
      'Fields',
      fields.length === 0
        ? []
        : [
            textTable([
              ['NAME', 'TYPE', 'IN THE EXPORT', ''],
              ...fields.map(({ name, type, source, isNew }) => [name, type, source, isNew ? 'new' : 'exists']),
            ]),
          ],
    ],
    ['Contacts', [`${contacts.total} rows, ${contacts.invalid} of which cannot be imported`]],
    ['Suppressions', Object.entries(suppressions).map(([reason, count]) => `${reason}: ${count}`)],
    [
      'Templates',
      templates.flatMap((template) => [
        `${template.name}: ${fateOf(template, lists.length > 0)}`,
        ...template.problems.map(problemText),
      ]),
    ],
    ['Left out', leftOut.map(({ what, count }) => `${what}: ${count}`)],
  ]
}

const problemLines = ({ problems, problemCount }: MigrationPlan): readonly string[] => {
  const shown = shortenedList(
    problems.map(({ place, email, error }) => `  ${placeText(place)}${email && ` (${email.slice(0, 100)})`}: ${error}`),
  )
  const isCut = problemCount > problems.length
  return isCut ? [...shown.slice(0, -1), `… and ${problemCount - shown.length + 1} more`] : shown
}

const doneLines = ({ contacts, suppressions, templates, errors }: MigrationResult): readonly string[] => {
  const results = (result: TemplateWriteResult['result']) => templates.filter((one) => one.result === result).length
  const { created, updated, unchanged, failed } = contacts
  return [
    `Contacts: ${created} created, ${updated} updated, ${unchanged} as they were, ${failed} not taken`,
    `Suppressions: ${suppressions.created} created, ${suppressions.existing} there already`,
    `Templates: ${results('created')} created, ${results('exists')} there already, ${results('not imported')} not imported`,
    ...(errors === undefined ? [] : [`All rows that were not taken, with the reasons, are in ${errors}`]),
  ]
}

/** For people. Without `done`, of what would be done. */
export const migrationReportText = (system: string, plan: MigrationPlan, done?: MigrationResult): string => {
  const parts = sections(plan).flatMap(([heading, lines]) => (lines.length === 0 ? [] : [heading, ...lines, '']))
  const problems = problemLines(plan)
  return [
    `Migration from ${system}${done ? '' : ': what would be done. Nothing was written.'}`,
    '',
    ...parts,
    ...(problems.length === 0 ? [] : [`Rows that cannot be imported: ${plan.problemCount}`, ...problems, '']),
    ...(done ? ['Done', ...doneLines(done)] : []),
  ]
    .join('\n')
    .trimEnd()
}

const jsonTemplate = ({ name, target, place, problems }: PlannedTemplate) => ({
  name,
  target,
  file: place.file,
  problems,
})

/** For programs: the same for a dry run and a run, which adds `done`. */
export const migrationReportJson = (system: string, plan: MigrationPlan, done?: MigrationResult) => {
  const { lists, fields, contacts, suppressions, templates, leftOut, problems, problemCount } = plan
  return {
    system,
    dryRun: done === undefined,
    lists: lists.map(({ name, existing, active, unverified, unsubscribed, note }) => ({
      name,
      isNew: existing === undefined,
      ...{ active, unverified, unsubscribed },
      ...(note !== undefined && { note }),
    })),
    fields,
    contacts,
    suppressions,
    templates: templates.map(jsonTemplate),
    leftOut,
    problems: { count: problemCount, rows: problems },
    ...(done && { done }),
  }
}
