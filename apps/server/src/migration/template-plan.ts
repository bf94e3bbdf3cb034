import { contentViolations, TransactionalEmailFields, violationsOf } from '@posthorn/core/ports/transport'
import type { ExportPlace, MigrationTemplateItem } from './items.js'
import { templateDialects } from './templates/dialects.js'
import { type FieldOfExportName, translateTemplate, type UntranslatableConstruct } from './templates/translation.js'

/** Triggered emails go to lists, so they may have an unsubscribe link. */
export type TemplateImportTarget = 'transactional email' | 'triggered email' | 'draft of a campaign'

export type PlannedTemplateProblem = Partial<UntranslatableConstruct> & {
  readonly part: 'subject' | 'body'
  readonly reason: string
}

export type PlannedTemplate = {
  readonly name: string
  readonly place: ExportPlace
  readonly target: TemplateImportTarget
  readonly type: 'html' | 'text'
  readonly subject: string
  readonly document: string
  /** It is imported only if there are none. */
  readonly problems: readonly PlannedTemplateProblem[]
}

const targetOf = ({ purpose }: MigrationTemplateItem, document: string): TemplateImportTarget => {
  if (purpose === 'campaign') return 'draft of a campaign'
  return document.includes('unsubscribeLink') ? 'triggered email' : 'transactional email'
}

const refusals = (fields: {
  readonly name: string
  readonly subject: string
  readonly type: 'html' | 'text'
  readonly document: string
}): readonly PlannedTemplateProblem[] =>
  [...violationsOf(TransactionalEmailFields, fields), ...contentViolations(fields)].map(({ sentence }) => ({
    part: /^subject\b/.test(sentence) ? 'subject' : 'body',
    reason: sentence,
  }))

/** Translates subject and body; a template with a single problem is not imported. */
export const plannedTemplateImport = (item: MigrationTemplateItem, fieldOf: FieldOfExportName): PlannedTemplate => {
  const { name, place, format: type, language, obstacle } = item
  const [subject, body] = [item.subject, item.source].map((source) =>
    translateTemplate(source, templateDialects[language](fieldOf)),
  )
  const fields = { name, subject: subject?.text ?? '', type, document: body?.text ?? '' }
  const untranslated: readonly PlannedTemplateProblem[] = [
    ...(subject?.problems ?? []).map((problem) => ({ part: 'subject' as const, ...problem })),
    ...(body?.problems ?? []).map((problem) => ({ part: 'body' as const, ...problem })),
  ]
  const problems =
    obstacle !== undefined
      ? [{ part: 'body' as const, reason: obstacle }]
      : untranslated.length > 0
        ? untranslated
        : refusals(fields)
  return { ...fields, place, target: targetOf(item, fields.document), problems }
}
