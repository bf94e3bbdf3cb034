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
 * A sentence for each merge tag whose first name is none of contact, design, the links, a feed's variable and a key of the data, with
 * its place; nothing where all are known. What belongs to a loop or a `with` is not looked at.
 * @param data of a test or a preview; absent: not known before a send gives it
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

/** The view of a record with what is unknown in it, where anything is. */
export const withWarnings = <V extends object>(view: V, email: Templates): V & { readonly warnings?: string[] } => {
  const warnings = [...unknownNames(email)]
  return warnings.length > 0 ? { ...view, warnings } : view
}
