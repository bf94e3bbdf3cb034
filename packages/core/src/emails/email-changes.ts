import { foundIn } from '../kernel/found.js'
import type { Target } from '../kernel/references.js'
import type { RepositoriesFor } from '../kernel/repository.js'
import type { Violation } from '../kernel/violation.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import type { EmailContent, EmailType, Feed } from './email-content.js'
import { checkContent, contentViolations } from './stored-email.js'

/** What a client gave of the content; undefined: not given; null: to be unset. */
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

/** The record with what was given merged in; null, or an empty string, removes what can be removed. */
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
 * The rule that the templates in an input can be read, told with all else that is wrong with it.
 * @param typeBefore what the email is until the input says otherwise
 */
export const templatesFit =
  (typeBefore: () => Promise<EmailType | undefined> = async () => undefined) =>
  async (input: object): Promise<readonly Violation[]> => {
    const { subject, previewText, document, type } = input as GivenContent
    const before = type === undefined ? await typeBefore() : undefined
    return contentViolations({ subject, previewText, document, type: type ?? before ?? 'visual' })
  }

/** What an email names by id; null and an empty text name nothing. */
export type NamedByEmail = {
  readonly senderIdentity?: string | null | undefined
  readonly subscriberListId?: string | null | undefined
  readonly segmentId?: string | null | undefined
}

/** The records that an email names, as `References` take them. */
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
 * That content may be stored so: its templates read, its sender the project's own.
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
