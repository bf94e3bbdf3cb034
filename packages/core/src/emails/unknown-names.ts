import { firstOf } from '../kernel/refusal.js'
import type { EmailContent } from './email-content.js'
import { mergeNames } from './merge-tags.js'
import { type TemplateName, topLevelNames } from './template-names.js'
import { namesIn } from './visual-document.js'

type Templates = Pick<EmailContent, 'subject'> &
  Partial<Pick<EmailContent, 'previewText' | 'document' | 'type' | 'feeds'>>

type Place = TemplateName & { readonly at: string }

const placed = (field: string, source: unknown): readonly Place[] =>
  typeof source === 'string'
    ? (topLevelNames(source) ?? []).map((one) => ({ ...one, at: `${field}: line ${one.line}, column ${one.column}` }))
    : []

const placesIn = ({ subject, previewText, document, type = 'visual' }: Templates): readonly Place[] => [
  ...placed('subject', subject),
  ...placed('previewText', previewText),
  ...(type === 'visual' ? namesIn(document).map((one) => ({ ...one, at: 'document' })) : placed('document', document)),
]

/**
 * Returns a warning for each merge tag whose first name is not contact, design, a link, a feed's variable or a key of the data, with its
 * position. Names inside a loop or `with` are not checked.
 * @param data of a test or a preview; absent if it is only known at sending
 */
export const unknownNames = (email: Templates, data?: Readonly<Record<string, unknown>>): readonly string[] => {
  const known = new Set<string>([
    ...mergeNames,
    ...(email.feeds ?? []).map(({ variableName }) => variableName),
    ...Object.keys(data ?? {}),
  ])
  const otherwise = data === undefined ? ', unless the data of a send has it' : ''
  return firstOf(
    placesIn(email)
      .filter(({ name }) => !known.has(name))
      .map(({ at, name }) => `${at}: nothing is called ${name}, so that it stays empty${otherwise}`),
  )
}

/** The view of a record, with warnings about unknown names if there are any. */
export const withWarnings = <V extends object>(view: V, email: Templates): V & { readonly warnings?: string[] } => {
  const warnings = [...unknownNames(email)]
  return warnings.length > 0 ? { ...view, warnings } : view
}
