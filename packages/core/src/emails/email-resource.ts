import type { z } from 'zod'
import { parsedBy } from '../kernel/parsed.js'
import type { Runtime } from '../kernel/ports.js'
import { assertBasedOn, projectResource, versionedChangesSchemaOf } from '../kernel/project-resource.js'
import type {
  RecordPendingRemoval,
  RecordReferenceMarks,
  ReferenceGuard,
  ReferenceTarget,
} from '../kernel/references.js'
import { getOrNotFound, type RepositoriesFor, type Repository, type Where } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { Violation } from '../kernel/violation.js'
import {
  checkContent,
  contentViolations,
  type EmailContent,
  type EmailRecord,
  type EmailType,
} from '../mail/content.js'
import type { Feed } from '../mail/feed.js'
import { withMergeTagWarnings } from '../mail/merge-tags.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'

/** Undefined leaves a field unchanged, null unsets it. */
type GivenContent = {
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
const removable = ['previewText', 'senderIdentity', 'replyTo', 'segmentId', 'unopenedOf']

export const mergeGivenFields = <T extends object>(record: T, given: { readonly [key: string]: unknown }): T => {
  const next = { ...record } as Record<string, unknown>
  for (const [key, value] of Object.entries(given)) {
    if (value === null && Object.hasOwn(standard, key)) next[key] = standard[key]
    else if (value === null || (value === '' && removable.includes(key))) delete next[key]
    else if (key === 'tracking') next[key] = { ...(next[key] as object | undefined), ...(value as object | undefined) }
    else if (value !== undefined) next[key] = value
  }
  return next as T
}

/** @param typeBefore the email's current type, used if the input contains none */
export const emailTemplateRule =
  (typeBefore: () => Promise<EmailType | undefined> = async () => undefined) =>
  async (input: object): Promise<readonly Violation[]> => {
    const { subject, previewText, document, type } = input as GivenContent
    const before = type === undefined ? await typeBefore() : undefined
    return contentViolations({ subject, previewText, document, type: type ?? before ?? 'visual' })
  }

export type EmailReferences = {
  readonly senderIdentity?: string | null | undefined
  readonly subscriberListId?: string | null | undefined
  readonly segmentId?: string | null | undefined
}

export const emailReferenceTargets = (
  projectId: string,
  { senderIdentity, subscriberListId, segmentId }: EmailReferences,
  {
    senderIdentities,
    subscriberLists,
    segments,
  }: {
    readonly [K in 'senderIdentities' | 'subscriberLists' | 'segments']?: ReferenceTarget['repository'] | undefined
  },
): readonly ReferenceTarget[] =>
  (
    [
      [senderIdentities, senderIdentity],
      [subscriberLists, subscriberListId],
      [segments, segmentId],
    ] as const
  ).flatMap(([repository, _id]) => (repository && _id ? [{ repository, _id, projectId }] : []))

/** @throws Refusal `invalid` with every template error by field, line and column; `not-found` for the sender identity */
const assertStorableEmail = async (
  projectId: string,
  content: EmailContent,
  { senderIdentities }: RepositoriesFor<{ senderIdentities: SenderIdentity }>,
): Promise<void> => {
  checkContent(content)
  if (content.senderIdentity) await getOrNotFound(senderIdentities, { _id: content.senderIdentity, projectId })
}

type Deps = Pick<Runtime, 'clock' | 'newId'> & {
  readonly repositories: RepositoriesFor<{ senderIdentities: SenderIdentity }>
  readonly references: ReferenceGuard
}

type Kind<T, F extends z.ZodObject, V extends z.ZodObject> = {
  readonly fields: F
  readonly view: V
  /** @throws Refusal */
  readonly assertReferences?: (record: T) => Promise<void>
  readonly subscriberLists?: ReferenceTarget['repository']
  /** Whether its users could still use the record after the change. */
  readonly isUsable?: (changed: T) => boolean
  /** `changed` is absent for a removal. @throws Refusal while the record is in use */
  readonly assertUnused?: (record: T, changed?: T) => Promise<void>
}

type ChangesOf<F extends z.ZodObject> = z.input<ReturnType<typeof versionedChangesSchemaOf<F['shape']>>>

export const emailResource = <
  T extends EmailRecord & RecordReferenceMarks,
  F extends z.ZodObject,
  V extends z.ZodObject,
>(
  repository: Repository<T>,
  {
    fields,
    view: View,
    assertReferences,
    subscriberLists,
    isUsable = () => true,
    assertUnused = async () => {},
  }: Kind<T, F, V>,
  { repositories, references, clock, newId }: Deps,
) => {
  const changes = versionedChangesSchemaOf(fields)
  const resource = projectResource(repository, View)

  const assertFit = async (record: T): Promise<void> => {
    await assertReferences?.(record)
    await assertStorableEmail(record.projectId, record, repositories)
  }

  /** Runs `write` while newly referenced records cannot be removed. */
  const using = <R>(projectId: string, named: EmailReferences, write: () => Promise<R>): Promise<R> =>
    references.use(emailReferenceTargets(projectId, named, { ...repositories, subscriberLists }), write)

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `invalid`, `not-found` for a referenced record */
    create: async ({ projectId, requestId }: Scope, input: z.input<F>): Promise<z.output<V>> => {
      const given = (await parsedBy(fields, input, emailTemplateRule())) as GivenContent
      const blank = {
        _id: requestId ?? newId(),
        projectId,
        type: 'visual',
        feeds: [],
        ...stamps(clock().toISOString()),
      }
      // `fields` supplies the rest of a T; the types cannot express that.
      const record = mergeGivenFields(blank, given) as unknown as T
      await assertFit(record)
      await using(projectId, given, () => repository.add(record))
      return withMergeTagWarnings(resource.show(record), record)
    },

    /** @throws Refusal `invalid`, `not-found`, `blocked` if the change would break a record's user, `duplicate` */
    update: async (scope: Scope, id: string, input: ChangesOf<F>): Promise<z.output<V>> => {
      const typeBefore = async () => (await repository.get({ _id: id, projectId: scope.projectId } as Where<T>))?.type
      const read = await parsedBy(changes, input, emailTemplateRule(typeBefore))
      const { basedOn, ...given } = read as GivenContent & { readonly basedOn?: string }
      const changed = (current: T): T => {
        assertBasedOn(current, basedOn)
        return { ...mergeGivenFields(current, given), updatedAt: clock().toISOString() }
      }
      const intended = changed(await resource.stored(scope, id))
      await assertFit(intended)
      const { projectId } = scope
      const change = (where: object = resource.whereIs(scope, id)) => repository.change(where as Where<T>, changed)
      const after = await using(projectId, given, () =>
        isUsable(intended) || (given.document === undefined && given.type === undefined)
          ? change()
          : references.unused({ repository, _id: id, projectId }, (email) => assertUnused(email, intended), change),
      )
      return withMergeTagWarnings(resource.show(after), intended)
    },

    /** @throws Refusal `not-found`, `blocked` while the record is in use */
    remove: async (scope: Scope, id: string): Promise<z.output<V>> => {
      const { projectId } = scope
      const remove = (where: RecordPendingRemoval) => repository.remove(where as object as Where<T>)
      return resource.show(await references.unused({ repository, _id: id, projectId }, assertUnused, remove))
    },
  }
}
