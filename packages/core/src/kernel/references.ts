import { without } from './merged.js'
import type { Clock, NewId } from './ports.js'
import { blocked } from './refusal.js'
import { orNotFound, type Repository, uncheckedWhere } from './repository.js'
import type { InProject } from './shapes.js'

/** Only this module reads and writes these fields. Marks store when they expire, in ISO 8601. */
export type RecordReferenceMarks = {
  /** By the id of the write. */
  readonly pendingUses?: Readonly<Record<string, string>>
  /** Also for a change that would invalidate the records that use this one. */
  readonly pendingRemoval?: { readonly id: string; readonly until: string }
}

export type ReferenceTarget<T extends InProject & RecordReferenceMarks = InProject & RecordReferenceMarks> = {
  readonly repository: Pick<Repository<T>, 'noun' | 'change'>
  readonly projectId: string
  readonly _id: string
}

/** Without the mark, the record may be in use. */
export type RecordPendingRemoval = {
  readonly _id: string
  readonly projectId: string
  readonly 'pendingRemoval.id': string
}

/** In ms: longer than any store tries one write. Marks of a process that died expire. */
const leaseTime = 60_000

const busyWith = ({ noun }: { readonly noun: string }) =>
  blocked(`The ${noun.toLowerCase()} is being used, changed or removed by another request. Please try again.`)

/**
 * Keeps a record from being removed while a reference to it is written, without a transaction. Writers (`use`) and
 * removers (`unused`) each mark the record by a conditional change that fails while the other kind of mark exists;
 * only then does the writer write, or the remover search for references. A remover whose mark has expired removes
 * nothing.
 */
export const referenceGuard = ({ clock, newId }: { readonly clock: Clock; readonly newId: NewId }) => {
  const lapsesAt = () => new Date(clock().getTime() + leaseTime).toISOString()
  const standing = (until: string) => until > clock().toISOString()

  const removalOf = ({ pendingRemoval }: RecordReferenceMarks) =>
    pendingRemoval && standing(pendingRemoval.until) ? pendingRemoval : undefined
  const usesOf = ({ pendingUses = {} }: RecordReferenceMarks) =>
    Object.fromEntries(Object.entries(pendingUses).filter(([, until]) => standing(until)))

  const whereOfTarget = <T extends InProject & RecordReferenceMarks>({ _id, projectId }: ReferenceTarget<T>) =>
    uncheckedWhere<InProject, T>({ _id, projectId })

  const withUses = <T extends RecordReferenceMarks>(
    record: T,
    pendingUses: NonNullable<RecordReferenceMarks['pendingUses']>,
  ): T => (Object.keys(pendingUses).length > 0 ? { ...record, pendingUses } : (without(record, 'pendingUses') as T))

  const hold = async <T extends InProject & RecordReferenceMarks>(
    target: ReferenceTarget<T>,
    id: string,
  ): Promise<T> => {
    const { repository } = target
    const held = await repository.change(whereOfTarget(target), (record) => {
      if (removalOf(record)) throw busyWith(repository)
      return withUses(without(record, 'pendingRemoval') as T, { ...usesOf(record), [id]: lapsesAt() })
    })
    return orNotFound(repository, held)
  }

  const release = async <T extends InProject & RecordReferenceMarks>(
    target: ReferenceTarget<T>,
    id: string,
  ): Promise<void> => {
    await target.repository.change(whereOfTarget(target), (record) => {
      if (record.pendingUses?.[id] === undefined) return record
      const { [id]: _, ...others } = usesOf(record)
      return withUses(record, others)
    })
  }

  return {
    isBeingRemoved: (record: RecordReferenceMarks): boolean => removalOf(record) !== undefined,

    /**
     * None of the targets can be removed until `write` ends.
     * @param write receives the current records, in the order of the targets
     * @throws Refusal `not-found` for a missing target, `blocked` for one being removed; then nothing is written
     */
    use: async <T extends InProject & RecordReferenceMarks, R>(
      targets: readonly ReferenceTarget<T>[],
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
        // The mark expires; the write stays valid.
        await Promise.allSettled(targets.map((target) => release(target, id)))
      }
    },

    /**
     * Runs `remove` while no reference to the record is being written.
     * @param assertUnused throws if records refer to it
     * @throws Refusal `not-found`, or `blocked` while a reference is being written; then nothing is removed
     */
    unused: async <T extends InProject & RecordReferenceMarks, R>(
      target: ReferenceTarget<T>,
      assertUnused: (record: T) => Promise<void>,
      remove: (where: RecordPendingRemoval) => Promise<R | undefined>,
    ): Promise<R> => {
      const { repository, _id, projectId } = target
      const id = newId()
      const marked = await repository.change(whereOfTarget(target), (record) => {
        if (removalOf(record) || Object.keys(usesOf(record)).length > 0) throw busyWith(repository)
        return { ...(without(record, 'pendingUses') as T), pendingRemoval: { id, until: lapsesAt() } }
      })
      const record = orNotFound(repository, marked)
      try {
        await assertUnused(record)
        const removed = await remove({ _id, projectId, 'pendingRemoval.id': id })
        if (removed === undefined) throw busyWith(repository)
        return removed
      } finally {
        await repository
          .change(whereOfTarget(target), (current) =>
            current.pendingRemoval?.id === id ? (without(current, 'pendingRemoval') as T) : current,
          )
          // The mark expires.
          .catch(() => undefined)
      }
    },
  }
}
export type ReferenceGuard = ReturnType<typeof referenceGuard>
