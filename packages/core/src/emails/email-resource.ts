import type { z } from 'zod'
import { changesOf } from '../kernel/merged.js'
import { parsedBy } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { projectResource } from '../kernel/project-resource.js'
import type { MarkedForRemoval, Referable, References, Target } from '../kernel/references.js'
import type { RepositoriesFor, Repository, Where } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import { stamps } from '../kernel/shapes.js'
import type { SenderIdentity } from '../sender-identities/sender-identity.js'
import {
  assertStorable,
  emailTargets,
  type GivenContent,
  mergeGiven,
  type NamedByEmail,
  templatesFit,
} from './email-changes.js'
import type { StoredEmail } from './email-content.js'
import { withWarnings } from './unknown-names.js'

type Deps = {
  readonly repositories: RepositoriesFor<{ senderIdentities: SenderIdentity }>
  readonly references: References
  readonly clock: Clock
  readonly newId: NewId
}

type Kind<T, F extends z.ZodObject, V extends z.ZodObject> = {
  readonly fields: F
  readonly view: V
  /** Further checks before a record is stored. @throws Refusal */
  readonly assertReferences?: (record: T) => Promise<void>
  /** The repository of the subscriber list that the record names. */
  readonly subscriberLists?: Target['repository']
  /** Whether other records could still use this one after the change; default: always. */
  readonly isUsable?: (changed: T) => boolean
  /** Rejects a change of the record, or its removal if `changed` is absent, while it is in use. @throws Refusal */
  readonly assertUnused?: (record: T, changed?: T) => Promise<void>
}

/** The fields of a PATCH, all optional. */
type ChangesOf<F extends z.ZodObject> = z.input<ReturnType<typeof changesOf<F['shape']>>>

/** The use cases that triggered and transactional emails share: documents that a client manages and sends refer to. */
export const emailResource = <T extends StoredEmail & Referable, F extends z.ZodObject, V extends z.ZodObject>(
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
  const changes = changesOf(fields)
  const resource = projectResource(repository, View)

  const assertFit = async (record: T): Promise<void> => {
    await assertReferences?.(record)
    await assertStorable(record.projectId, record, repositories)
  }

  /** Runs `write` while newly referenced records cannot be removed. */
  const using = <R>(projectId: string, named: NamedByEmail, write: () => Promise<R>): Promise<R> =>
    references.use(emailTargets(projectId, named, { ...repositories, subscriberLists }), write)

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `invalid`, `not-found` for a referenced record */
    create: async ({ projectId, requestId }: Scope, input: z.input<F>): Promise<z.output<V>> => {
      const given = (await parsedBy(fields, input, templatesFit())) as GivenContent
      const now = clock().toISOString()
      const blank = { _id: requestId ?? newId(), projectId, type: 'visual', feeds: [], ...stamps(now) }
      // `fields` supplies the rest of a T; the types cannot express that.
      const record = mergeGiven(blank, given) as unknown as T
      await assertFit(record)
      await using(projectId, given, () => repository.add(record))
      return withWarnings(resource.show(record), record)
    },

    /** Merges the given fields. @throws Refusal `invalid`, `not-found`, `blocked` if the change would break a record's user */
    update: async (scope: Scope, id: string, input: ChangesOf<F>): Promise<z.output<V>> => {
      const typeBefore = async () => (await repository.get({ _id: id, projectId: scope.projectId } as Where<T>))?.type
      const given = (await parsedBy(changes, input, templatesFit(typeBefore))) as GivenContent
      const changed = (current: T): T => ({ ...mergeGiven(current, given), updatedAt: clock().toISOString() })
      const intended = changed(await resource.stored(scope, id))
      await assertFit(intended)
      const { projectId } = scope
      const change = (where: object = resource.whereIs(scope, id)) => repository.change(where as Where<T>, changed)
      const after = await using(projectId, given, () =>
        isUsable(intended) || (given.document === undefined && given.type === undefined)
          ? change()
          : references.unused({ repository, _id: id, projectId }, (email) => assertUnused(email, intended), change),
      )
      return withWarnings(resource.show(after), intended)
    },

    /** @throws Refusal `not-found`, `blocked` while the record is in use */
    remove: async (scope: Scope, id: string): Promise<z.output<V>> => {
      const { projectId } = scope
      const remove = (where: MarkedForRemoval) => repository.remove(where as object as Where<T>)
      return resource.show(await references.unused({ repository, _id: id, projectId }, assertUnused, remove))
    },
  }
}
