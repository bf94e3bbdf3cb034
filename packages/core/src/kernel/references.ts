import type { Clock, NewId } from './ports.js'
import { blocked } from './refusal.js'
import { found, type Repository, whereOf } from './repository.js'
import type { InProject } from './shapes.js'

/**
 * A record that others refer to by its id. Only this module reads and writes these fields; each mark stores the instant at which it
 * expires, in ISO 8601.
 */
export type Referable = {
  /** Writes in progress of records that refer to this one, each with an id. */
  readonly pendingUses?: Readonly<Record<string, string>>
  /** A removal in progress, or a change that would invalidate the records that use this one. */
  readonly pendingRemoval?: { readonly id: string; readonly until: string }
}

/** A record that others refer to. */
export type Target<T extends InProject & Referable = InProject & Referable> = {
  readonly repository: Pick<Repository<T>, 'noun' | 'change'>
  readonly projectId: string
  readonly _id: string
}

/** Matches the record only while it has this removal mark; without the mark, it may be in use. */
export type MarkedForRemoval = {
  readonly _id: string
  readonly projectId: string
  readonly 'pendingRemoval.id': string
}

/** Marks expire after 60 s (in ms): longer than any store tries one write. So the marks of a process that died disappear. */
const leaseTime = 60_000

const busyWith = ({ noun }: { readonly noun: string }) =>
  blocked(`The ${noun.toLowerCase()} is being used, changed or removed by another request. Please try again.`)

const without = <T extends Referable>(record: T, field: keyof Referable): T => {
  const { [field]: _, ...rest } = record
  return rest as T
}

/**
 * Prevents the removal of a record while another that refers to it is being written, without a transaction over both. The writer of a
 * reference marks the record (`use`), writes, and removes the mark. The remover marks the record too (`unused`), and only then searches
 * for records that refer to it. Both set their mark by a conditional change of the same record, which succeeds only while there is no mark
 * of the other kind. So a reference is written before the remover searches, or not at all. If a process dies, its mark expires after a
 * minute; a remover whose mark has expired removes nothing.
 */
export const references = ({ clock, newId }: { readonly clock: Clock; readonly newId: NewId }) => {
  const lapsesAt = () => new Date(clock().getTime() + leaseTime).toISOString()
  const standing = (until: string) => until > clock().toISOString()

  const removalOf = ({ pendingRemoval }: Referable) =>
    pendingRemoval && standing(pendingRemoval.until) ? pendingRemoval : undefined
  const usesOf = ({ pendingUses = {} }: Referable) =>
    Object.fromEntries(Object.entries(pendingUses).filter(([, until]) => standing(until)))

  const whereOfTarget = <T extends InProject & Referable>({ _id, projectId }: Target<T>) =>
    whereOf<InProject, T>({ _id, projectId })

  const withUses = <T extends Referable>(record: T, pendingUses: NonNullable<Referable['pendingUses']>): T =>
    Object.keys(pendingUses).length > 0 ? { ...record, pendingUses } : without(record, 'pendingUses')

  const hold = async <T extends InProject & Referable>(target: Target<T>, id: string): Promise<T> => {
    const { repository } = target
    const held = await repository.change(whereOfTarget(target), (record) => {
      if (removalOf(record)) throw busyWith(repository)
      return withUses(without(record, 'pendingRemoval'), { ...usesOf(record), [id]: lapsesAt() })
    })
    return found(repository, held)
  }

  const release = async <T extends InProject & Referable>(target: Target<T>, id: string): Promise<void> => {
    await target.repository.change(whereOfTarget(target), (record) => {
      if (record.pendingUses?.[id] === undefined) return record
      const { [id]: _, ...others } = usesOf(record)
      return withUses(record, others)
    })
  }

  return {
    isBeingRemoved: (record: Referable): boolean => removalOf(record) !== undefined,

    /**
     * Runs `write`, which writes a record that refers to the targets; none of them can be removed until it ends.
     * @param write receives the current records, in the order of the targets
     * @throws Refusal `not-found` for a target that does not exist, `blocked` for one that is being removed; then nothing is written
     */
    use: async <T extends InProject & Referable, R>(
      targets: readonly Target<T>[],
      write: (held: readonly T[]) => Promise<R>,
    ): Promise<R> => {
      if (targets.length === 0) return write([])
      const id = newId()
      const holding = await Promise.allSettled(targets.map((target) => hold(target, id)))
      try {
        const held = holding.map((one) => {
          if (one.status === 'rejected') throw one.reason
          return one.value
        })
        return await write(held)
      } finally {
        // A mark that cannot be removed expires; the result of the write stays valid.
        await Promise.allSettled(targets.map((target) => release(target, id)))
      }
    },

    /**
     * Runs `remove`, which removes or changes the record, while no record that refers to it is being written.
     * @param assertUnused throws if records refer to it
     * @throws Refusal `not-found`, or `blocked` while a record that refers to it is being written; then nothing is removed
     */
    unused: async <T extends InProject & Referable, R>(
      target: Target<T>,
      assertUnused: (record: T) => Promise<void>,
      remove: (where: MarkedForRemoval) => Promise<R | undefined>,
    ): Promise<R> => {
      const { repository, _id, projectId } = target
      const id = newId()
      const marked = await repository.change(whereOfTarget(target), (record) => {
        if (removalOf(record) || Object.keys(usesOf(record)).length > 0) throw busyWith(repository)
        return { ...without(record, 'pendingUses'), pendingRemoval: { id, until: lapsesAt() } }
      })
      const record = found(repository, marked)
      try {
        await assertUnused(record)
        const removed = await remove({ _id, projectId, 'pendingRemoval.id': id })
        if (removed === undefined) throw busyWith(repository)
        return removed
      } finally {
        await repository
          .change(whereOfTarget(target), (current) =>
            current.pendingRemoval?.id === id ? without(current, 'pendingRemoval') : current,
          )
          // A mark that could not be removed expires.
          .catch(() => undefined)
      }
    },
  }
}
export type References = ReturnType<typeof references>
