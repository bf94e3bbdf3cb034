import { refusalOf } from '../kernel/parsed.js'
import { standingAlone, type Violation, wrongField } from '../kernel/violation.js'
import type { EmailContent, EmailType } from './email-content.js'
import type { VisualRenderer } from './ports.js'
import { checkTemplate } from './template-language.js'

/** Content that may be incomplete; null unsets a field. */
type Known = {
  readonly subject?: string | null | undefined
  readonly previewText?: string | null | undefined
  readonly type: EmailType
  readonly document?: unknown
}

const templatesOf = ({ subject, previewText, type, document }: Known) =>
  Object.entries({ subject, previewText, ...(type !== 'visual' && { document }) }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )

/** The errors in the content's templates, each with field, line and column. */
export const contentViolations = (content: Known): readonly Violation[] => {
  const { type, document } = content
  const isTemplate = type === 'visual' || document === undefined || document === null || typeof document === 'string'
  return [
    ...(isTemplate ? [] : [wrongField('document', `an email of type ${type} has a template string`)]),
    ...templatesOf(content).flatMap(([field, template]) =>
      checkTemplate(field, template).map((sentence) => standingAlone(field, sentence)),
    ),
  ]
}

/**
 * Checks the content's templates.
 * @throws Refusal `invalid` with every violation: field, line, column
 */
export const checkContent = (content: EmailContent): void => {
  const wrong = contentViolations(content)
  if (wrong.length > 0) throw refusalOf(wrong)
}

/** Why the content cannot be sent; undefined if it can. */
export const sendableReason = (
  { subject, type, document }: Pick<EmailContent, 'subject' | 'type' | 'document'>,
  visualRenderer: VisualRenderer | undefined,
): string | undefined => {
  if (subject.trim() === '') return 'The email has no subject yet.'
  if (document === undefined || document === null || document === '') return 'The email has no document yet.'
  if (type === 'visual' && !visualRenderer)
    return 'This server has no renderer for visual documents. Give the email the type html or text.'
  return undefined
}
