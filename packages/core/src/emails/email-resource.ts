import type { z } from 'zod'
import { type ListQueryFields, listed } from '../kernel/listing.js'
import { changesOf } from '../kernel/merged.js'
import { parsed } from '../kernel/parsed.js'
import type { Clock, NewId } from '../kernel/ports.js'
import { notFound } from '../kernel/refusal.js'
import type { Listed, Repository, Where } from '../kernel/repository.js'
import type { Scope } from '../kernel/scope.js'
import type { Repositories } from '../records.js'
import { assertStorable, type GivenContent, mergeGiven } from './email-changes.js'
import type { StoredEmail } from './email-content.js'

type Deps = {
  readonly repositories: Pick<Repositories, 'senderIdentities'>
  readonly clock: Clock
  readonly newId: NewId
}

type Kind<T, F extends z.ZodObject, V extends z.ZodObject> = {
  readonly noun: string
  readonly fields: F
  readonly view: V
  /** What else must hold of a record before it is stored. @throws Refusal */
  readonly assertReferences?: (record: T) => Promise<void>
  /** Why the record may not be removed now. @throws Refusal */
  readonly assertUnused?: (record: T) => Promise<void>
}

/** What triggered and transactional emails have in common: documents that a client keeps and a send refers to. */
export const emailResource = <T extends StoredEmail, F extends z.ZodObject, V extends z.ZodObject>(
  repository: Repository<T>,
  { noun, fields, view: View, assertReferences, assertUnused }: Kind<T, F, V>,
  { repositories, clock, newId }: Deps,
) => {
  const changes = changesOf(fields)
  const whereIs = ({ projectId }: Scope, id: string) => ({ _id: id, projectId }) as unknown as Where<T>

  const view = (record: T | undefined): z.output<V> => {
    if (!record) throw notFound(noun)
    return View.parse(record)
  }

  const assertFit = async (record: T): Promise<void> => {
    await assertReferences?.(record)
    await assertStorable(record.projectId, record, repositories)
  }

  return {
    list: async ({ projectId }: Scope, query: z.output<typeof ListQueryFields>): Promise<Listed<z.output<V>>> => {
      const { items, count } = await listed(repository, { projectId } as unknown as Where<T>, View, query)
      return { items: items.map(view), count }
    },

    get: async (scope: Scope, id: string): Promise<z.output<V>> => view(await repository.get(whereIs(scope, id))),

    /** @throws Refusal `invalid`, `not-found` for what it refers to */
    create: async ({ projectId }: Scope, input: unknown): Promise<z.output<V>> => {
      const given = parsed(fields, input) as GivenContent
      const now = clock().toISOString()
      const record = mergeGiven(
        { _id: newId(), projectId, type: 'visual', feeds: [], createdAt: now, updatedAt: now },
        given,
      ) as unknown as T
      await assertFit(record)
      await repository.add(record)
      return view(record)
    },

    /** Merges the given fields. @throws Refusal `invalid`, `not-found` */
    update: async (scope: Scope, id: string, input: unknown): Promise<z.output<V>> => {
      const given = parsed(changes, input) as GivenContent
      const before = await repository.get(whereIs(scope, id))
      if (!before) throw notFound(noun)
      const changed = (current: T): T => ({ ...mergeGiven(current, given), updatedAt: clock().toISOString() })
      await assertFit(changed(before))
      return view(await repository.change(whereIs(scope, id), changed))
    },

    /** @throws Refusal `not-found`, `blocked` while something uses it */
    remove: async (scope: Scope, id: string): Promise<z.output<V>> => {
      const record = await repository.get(whereIs(scope, id))
      if (!record) throw notFound(noun)
      await assertUnused?.(record)
      return view(await repository.remove(whereIs(scope, id)))
    },
  }
}
