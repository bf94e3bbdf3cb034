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
  /** What else must hold of a record before it is stored. @throws Refusal */
  readonly assertReferences?: (record: T) => Promise<void>
  /** Where the list is that the record names. */
  readonly subscriberLists?: Target['repository']
  /** Whether other records could still use this one after the change; absent: always. */
  readonly isUsable?: (changed: T) => boolean
  /** Why the record may not be changed so now, or removed where `changed` is absent. @throws Refusal */
  readonly assertUnused?: (record: T, changed?: T) => Promise<void>
}

/** The partial form of the fields, for a PATCH. */
type ChangesOf<F extends z.ZodObject> = z.input<ReturnType<typeof changesOf<F['shape']>>>

/** What triggered and transactional emails have in common: documents that a client keeps and a send refers to. */
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

  /** Writes a record while what is newly named in it stays. */
  const using = <R>(projectId: string, named: NamedByEmail, write: () => Promise<R>): Promise<R> =>
    references.use(emailTargets(projectId, named, { ...repositories, subscriberLists }), write)

  return {
    list: resource.list,
    get: resource.get,

    /** @throws Refusal `invalid`, `not-found` for what it refers to */
    create: async ({ projectId, requestId }: Scope, input: z.input<F>): Promise<z.output<V>> => {
      const given = (await parsedBy(fields, input, templatesFit())) as GivenContent
      const now = clock().toISOString()
      const blank = { _id: requestId ?? newId(), projectId, type: 'visual', feeds: [], ...stamps(now) }
      // `fields` has given all else of a T, which no type of this function says.
      const record = mergeGiven(blank, given) as unknown as T
      await assertFit(record)
      await using(projectId, given, () => repository.add(record))
      return withWarnings(resource.show(record), record)
    },

    /** Merges the given fields. @throws Refusal `invalid`, `not-found`, `blocked` while something uses what would go */
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

    /** @throws Refusal `not-found`, `blocked` while something uses it */
    remove: async (scope: Scope, id: string): Promise<z.output<V>> => {
      const { projectId } = scope
      const remove = (where: MarkedForRemoval) => repository.remove(where as object as Where<T>)
      return resource.show(await references.unused({ repository, _id: id, projectId }, assertUnused, remove))
    },
  }
}
