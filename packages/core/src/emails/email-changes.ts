import { foundIn } from '../kernel/found.js'
import type { Target } from '../kernel/references.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Violation } from '../kernel/violation.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import type { EmailContent, EmailType, Feed } from './email-content.js'
import { checkContent, contentViolations } from './stored-email.js'

/** Content fields given by a client: undefined leaves a field unchanged, null unsets it. */
export type GivenContent = {
  readonly name?: string | undefined
  readonly subject?: string | undefined
  readonly previewText?: string | null | undefined
  readonly senderIdentity?: string | null | undefined
  readonly replyTo?: string | null | undefined
  readonly type?: EmailType | null | undefined
  readonly document?: unknown
  readonly feeds?: readonly Feed[] | null | undefined
}

const standard: Readonly<Record<string, unknown>> = { type: 'visual', feeds: [] }
const removable = ['previewText', 'senderIdentity', 'replyTo', 'segmentId']

/** Merges the given fields into the record; null or an empty string removes fields that can be removed. */
export const mergeGiven = <T extends object>(record: T, given: { readonly [key: string]: unknown }): T => {
  const next = { ...record } as Record<string, unknown>
  for (const [key, value] of Object.entries(given)) {
    if (value === null && Object.hasOwn(standard, key)) next[key] = standard[key]
    else if (value === null || (value === '' && removable.includes(key))) delete next[key]
    else if (key === 'tracking') next[key] = { ...(next[key] as object | undefined), ...(value as object | undefined) }
    else if (value !== undefined) next[key] = value
  }
  return next as T
}

/**
 * Checks that the templates in an input are valid; violations are reported together with those of other fields.
 * @param typeBefore the email's current type, used if the input contains none
 */
export const templatesFit =
  (typeBefore: () => Promise<EmailType | undefined> = async () => undefined) =>
  async (input: object): Promise<readonly Violation[]> => {
    const { subject, previewText, document, type } = input as GivenContent
    const before = type === undefined ? await typeBefore() : undefined
    return contentViolations({ subject, previewText, document, type: type ?? before ?? 'visual' })
  }

/** Records that an email refers to by id; null and an empty string refer to nothing. */
export type NamedByEmail = {
  readonly senderIdentity?: string | null | undefined
  readonly subscriberListId?: string | null | undefined
  readonly segmentId?: string | null | undefined
}

/** The records that an email refers to, as targets for `References`. */
export const emailTargets = (
  projectId: string,
  { senderIdentity, subscriberListId, segmentId }: NamedByEmail,
  {
    senderIdentities,
    subscriberLists,
    segments,
  }: { readonly [K in 'senderIdentities' | 'subscriberLists' | 'segments']?: Target['repository'] | undefined },
): readonly Target[] =>
  (
    [
      [senderIdentities, senderIdentity],
      [subscriberLists, subscriberListId],
      [segments, segmentId],
    ] as const
  ).flatMap(([repository, _id]) => (repository && _id ? [{ repository, _id, projectId }] : []))

/**
 * Checks that content may be stored: its templates are valid, and its sender belongs to the project.
 * @throws Refusal `invalid` with every template error by field, line and column; `not-found` for the sender identity
 */
export const assertStorable = async (
  projectId: string,
  content: EmailContent,
  { senderIdentities }: RepositoriesFor<{ senderIdentities: SenderIdentity }>,
): Promise<void> => {
  checkContent(content)
  if (content.senderIdentity) await foundIn(senderIdentities, { _id: content.senderIdentity, projectId })
}
