import { z } from 'zod'
import { EmailAddress } from '../kernel/email-address.js'
import { assertNoViolations } from '../kernel/refusal.js'
import { headerTextSchema, Id, type InProject, Name, recordView } from '../kernel/shapes.js'
import { standaloneViolation, type Violation, wrongFieldViolation } from '../kernel/violation.js'
import { type TrackingChoice, TrackingFields } from '../projects/tracking-choice.js'
import { Feed, Feeds } from './feed.js'
import type { VisualRenderer } from './ports.js'
import { templateProblems } from './template/syntax.js'

const emailTypes = ['visual', 'html', 'text'] as const
export type EmailType = (typeof emailTypes)[number]

/** Spec, "Email content fields". An empty previewText, senderIdentity or replyTo removes the field. */
export const emailContentShape = {
  name: Name.describe('Name of the email; recipients do not see it'),
  subject: headerTextSchema(998).describe('Subject, a template'),
  previewText: z
    .string()
    .max(1000)
    .optional()
    .describe('Preview text that mailboxes show after the subject; a template'),
  senderIdentity: z.string().optional().describe('Sender identity; absent: the project’s first'),
  replyTo: z
    .union([z.literal(''), EmailAddress])
    .optional()
    .describe('Reply-To address; empty: the sender’s'),
  type: z.enum(emailTypes).optional().describe('Omitted: a visual document'),
  document: z.unknown().optional().describe('html and text: a template string; visual: the editor’s JSON'),
  feeds: Feeds.optional().describe('Feeds whose content the templates may use'),
  tracking: TrackingFields.optional(),
}

export const listEmailShape = {
  ...emailContentShape,
  excludeUnengaged: z.boolean().default(false).describe('Excludes contacts of the project’s unengagedContactSegment'),
}

export const MergeTagWarnings = z
  .array(z.string())
  .optional()
  .describe('Merge tags without a value; only in responses to creating, changing and testing, if there are any')

export const EmailView = recordView({
  name: z.string().describe('Name of the email; recipients do not see it'),
  subject: z.string().describe('Subject, a template'),
  previewText: z.string().optional().describe('Preview text that mailboxes show after the subject; a template'),
  senderIdentity: Id.optional(),
  replyTo: z.string().optional().describe('Reply-To address; empty: the sender’s'),
  type: z.enum(emailTypes).describe('Type of the document'),
  document: z.unknown().optional().describe('html and text: a template; visual: the editor’s JSON'),
  feeds: z.array(Feed).describe('Feeds whose content the templates may use'),
  tracking: TrackingFields.optional(),
  warnings: MergeTagWarnings,
})

export const ListEmailView = EmailView.extend({
  excludeUnengaged: z.boolean().describe('Whether the project’s unengaged contacts are excluded'),
})

/** Copied into a content snapshot when a dispatch is accepted. */
export type EmailContent = {
  readonly name: string
  readonly subject: string
  readonly previewText?: string
  readonly senderIdentity?: string
  readonly replyTo?: string
  readonly type: EmailType
  readonly document?: unknown
  /** Plain-text part of an HTML email; absent: made from the HTML. */
  readonly text?: string
  /** Subject and texts are sent as they are, not as templates. */
  readonly isLiteral?: boolean
  readonly feeds: readonly Feed[]
  /** Links of a visual document, in order. */
  readonly blocks?: readonly { readonly href: string; readonly position: string; readonly name: string }[]
}

export type EmailRecord = InProject & EmailContent & { readonly tracking?: TrackingChoice }

/** May be incomplete; null unsets a field. */
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

export const contentViolations = (content: Known): readonly Violation[] => {
  const { type, document } = content
  const isTemplate = type === 'visual' || document === undefined || document === null || typeof document === 'string'
  return [
    ...(isTemplate ? [] : [wrongFieldViolation('document', `an email of type ${type} has a template string`)]),
    ...templatesOf(content).flatMap(([field, template]) =>
      templateProblems(field, template).map((sentence) => standaloneViolation(field, sentence)),
    ),
  ]
}

/**
 * Checks the content's templates.
 * @throws Refusal `invalid` with every violation: field, line, column
 */
export const checkContent = (content: EmailContent): void => {
  assertNoViolations(contentViolations(content))
}

export const unsendableContentReason = (
  { subject, type, document }: Pick<EmailContent, 'subject' | 'type' | 'document'>,
  visualRenderer: VisualRenderer | undefined,
): string | undefined => {
  if (subject.trim() === '') return 'The email has no subject yet.'
  if (document === undefined || document === null || document === '') return 'The email has no document yet.'
  if (type === 'visual' && !visualRenderer)
    return 'This server has no renderer for visual documents. Give the email the type html or text.'
  return undefined
}
