import { notFound } from './refusal.js'

/** Every stored record has an `_id`. All other fields are plain data: strings, numbers, booleans, null, arrays and objects. */
export type Stored = { readonly _id: string }

/**
 * Equality (a value) or membership (an array of values) on top-level fields, AND-ed. On an array field a value means
 * "contains". `undefined` as a value means "the field is absent". An empty array matches nothing. A dotted key reaches one
 * level into an object field (`customFields.city`).
 */
export type Where<T> = { readonly [K in keyof T]?: WhereValue } & { readonly [path: `${string}.${string}`]: WhereValue }
/** Casts a condition on fields that all records of a family have: for a type parameter, the compiler cannot see that they exist. */
export const whereOf = <Family extends object, T extends Family>(where: Where<Family>): Where<T> =>
  where as unknown as Where<T>
export type WhereValue = Scalar | undefined | readonly Scalar[]
export type Scalar = string | number | boolean | null

export type Sort<T> = { readonly by: keyof T & string; readonly order: 'asc' | 'desc' }
/** Sorted by the given field (absent and null values first when ascending), then by `_id` in the same direction. */
export type ListQuery<T> = {
  readonly where: Where<T>
  readonly sort: Sort<T>
  readonly skip: number
  readonly limit: number
}
export type Page<T> = { readonly items: readonly T[]; readonly count: number }

/** At most `limit` records, beginning after that `_id`. */
export type Batch = { readonly after?: string | undefined; readonly limit: number }

/** Thrown by `add` and `change` if a unique key of the manifest is taken; `fields` is that key. Nothing was written. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken'

  constructor(
    readonly collection: string,
    readonly fields: readonly string[],
  ) {
    super(`${collection}: ${fields.join(' + ')} is taken`)
  }
}

/** Thrown by `add` and `addNew` if the room would hold more than `limit` records. Nothing was written. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'

  constructor(
    readonly collection: string,
    readonly limit: number,
  ) {
    super(`${collection}: there are ${limit} already`)
  }
}

/** At most `limit` records may match `where`. */
export type Room<T> = { readonly where: Where<T>; readonly limit: number }

/** For `catch` after `add` and `change`: calls `answer` if a unique key was taken and rethrows any other error. */
export const ifKeyTaken =
  <T>(answer: () => T) =>
  (error: unknown): T => {
    if (error instanceof KeyTaken) return answer()
    throw error
  }

/**
 * The storage port. A write is durable before its promise resolves. Records are copied in and out: changing one in memory does not change
 * what is stored.
 */
export interface Repository<T extends Stored> {
  /** The manifest's noun for a record. */
  readonly noun: string
  /** The matching record with the smallest `_id`; undefined if none matches. */
  get(where: Where<T>): Promise<T | undefined>
  /** One page, and the number of all matches. */
  list(query: ListQuery<T>): Promise<Page<T>>
  /** Every match in `_id` order, read in pages: memory stays bounded. */
  each(where: Where<T>): AsyncIterable<T>
  /** @throws KeyTaken, LimitReached */
  add(record: T, room?: Room<T>): Promise<void>
  /**
   * Adds the records whose unique keys are free, in one write, and returns them. If the new ones do not all fit into the room, none is
   * added; concurrent callers cannot exceed the limit either.
   * @throws LimitReached
   */
  addNew(records: readonly T[], room?: Room<T>): Promise<readonly T[]>
  /**
   * Applies a pure, synchronous `decide` to the current record with no lost update, and returns what is stored now; undefined if none
   * matches. `decide` may run more than once; if it throws, the record stays unchanged and the error propagates.
   * Returning the same object writes nothing.
   * @throws KeyTaken
   */
  change(where: Where<T>, decide: (current: T) => T): Promise<T | undefined>
  /**
   * Applies `decide` as `change` does to the next matching records, in `_id` order, in few writes. Returns the `_id` of the last one
   * processed, undefined if none is left: a walk continues from there, also after a crash. A record that changes concurrently is decided
   * again, or skipped if it no longer matches. `decide` must not change fields of unique keys.
   */
  changeNext(where: Where<T>, decide: (current: T) => T, batch: Batch): Promise<string | undefined>
  /** Removes the matching record and returns it. */
  remove(where: Where<T>): Promise<T | undefined>
  /** Removes all matching records and returns their number. */
  removeAll(where: Where<T>): Promise<number>
}

/** The repositories of these records, by name: a feature declares the ones it needs. */
export type RepositoriesFor<T extends Record<string, Stored>> = { readonly [K in keyof T]: Repository<T[K]> }

/** Looks up one record by some of its fields: for callers that need only these. */
export type Lookup<T> = { readonly noun: string; get(where: Where<T>): Promise<T | undefined> }

export type RecordKind<T extends Stored> = {
  /** As shown in a refusal: «Segment not found». */
  readonly noun: string
  /** No two records have the same values in all fields of a key. `_id` is always unique. */
  readonly unique: readonly (readonly (keyof T & string)[])[]
  /** The fields of look-ups and lists; adapters create real indexes of them. */
  readonly index: readonly (readonly (keyof T & string)[])[]
  /** Fields that few records have and that look-ups use; records without them are not in the index. */
  readonly sparse: readonly (keyof T & string)[]
  /** The fields that name a record's owner; records without such a field belong to the store. */
  readonly owner: Readonly<Partial<Record<'account' | 'project', string>>>
  /** Exists for the type only; never read. */
  readonly type?: T
}

/** Defines a kind of record. It belongs to a project, by its `projectId`, unless specified otherwise. */
export const record = <T extends Stored>(
  noun: string,
  { unique = [], index = [], sparse = [], owner = { project: 'projectId' } }: Partial<Omit<RecordKind<T>, 'noun'>> = {},
): RecordKind<T> => ({ noun, unique, index, sparse, owner })

/** Returns the record if there is one. @throws Refusal `not-found`, named by the noun of its repository */
export const found = <T>({ noun }: { readonly noun: string }, record: T | undefined): T => {
  if (record === undefined) throw notFound(noun)
  return record
}

/** The first matching record. @throws Refusal `not-found` */
export const foundIn = async <T>(repository: Lookup<T>, where: Parameters<Lookup<T>['get']>[0]): Promise<T> =>
  found(repository, await repository.get(where))
