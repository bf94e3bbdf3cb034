import { invalid } from '../kernel/refusal.js'
import type { EmailContent } from './email-content.js'
import type { VisualRenderer } from './ports.js'
import { checkTemplate } from './template-language.js'

const templatesOf = ({ subject, previewText, type, document }: EmailContent) =>
  Object.entries({ subject, previewText, ...(type !== 'visual' && { document }) }).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )

/**
 * That the templates of the content can be read.
 * @throws Refusal `invalid` with every violation: field, line, column
 */
export const checkContent = (content: EmailContent): void => {
  const { type, document } = content
  const wrong =
    type !== 'visual' && document !== undefined && typeof document !== 'string'
      ? [`document: an email of type ${type} has a template string`]
      : []
  const violations = [...wrong, ...templatesOf(content).flatMap(([field, template]) => checkTemplate(field, template))]
  if (violations.length > 0) throw invalid(...violations)
}

/** Why the content cannot be sent as it is; undefined when it can. */
export const sendableReason = (
  { subject, type, document }: Pick<EmailContent, 'subject' | 'type' | 'document'>,
  visualRenderer: VisualRenderer | undefined,
): string | undefined => {
  if (subject.trim() === '') return 'The email has no subject yet.'
  if (document === undefined || document === null || document === '') return 'The email has no document yet.'
  if (type === 'visual' && !visualRenderer)
    return 'This server has no renderer for visual documents; give the email the type html or text.'
  return undefined
}
