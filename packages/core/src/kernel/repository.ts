import { notFound, type Refusal } from './refusal.js'

/** All other fields are plain JSON data. */
export type StoredRecord = { readonly _id: string }

/**
 * Equality, or membership for an array of values, on top-level fields, AND-ed. On array fields a value means
 * "contains"; `undefined` means absent; an empty array matches nothing; a dotted key reaches one level deep
 * (`customFields.city`). `containing` is for texts.
 */
export type Where<T> = { readonly [K in keyof T]?: WhereValue } & { readonly [path: `${string}.${string}`]: WhereValue }
/** A cast: the compiler cannot see fields of a type parameter. */
export const uncheckedWhere = <Family extends object, T extends Family>(where: Where<Family>): Where<T> =>
  where as unknown as Where<T>
export type WhereValue = Scalar | undefined | readonly Scalar[] | ContainingText
/** A part of the text, in lower or upper case; stores differ on letters that change their number, such as İ, or have three cases. */
export type ContainingText = { readonly containing: string }
export type Scalar = string | number | boolean | null

export const isContainingText = (wanted: unknown): wanted is ContainingText =>
  typeof wanted === 'object' && wanted !== null && 'containing' in wanted

export type ListSort<T> = { readonly by: keyof T & string; readonly order: 'asc' | 'desc' }
/** By the field (absent and null first when ascending), then `_id` in the same direction. */
export type RepositoryListQuery<T> = {
  readonly where: Where<T>
  readonly sort: ListSort<T>
  readonly skip: number
  readonly limit: number
  /** Fields, not those of keys, that the records are returned without: large ones that nobody looks at. */
  readonly without?: readonly string[]
}
export type Page<T> = { readonly items: readonly T[]; readonly count: number }

/** At most `limit` records after that `_id`. */
export type BatchRange = { readonly after?: string | undefined; readonly limit: number }

/** A unique key of the manifest is taken; `fields` is that key. Nothing was written. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken'

  constructor(
    readonly collection: string,
    readonly fields: readonly string[],
  ) {
    super(`${collection}: ${fields.join(' + ')} is taken`)
  }
}

/** The room would hold more than `limit` records. Nothing was written. */
export class RecordLimitReached extends Error {
  override readonly name = 'RecordLimitReached'

  constructor(
    readonly collection: string,
    readonly limit: number,
  ) {
    super(`${collection}: there are ${limit} already`)
  }
}

export type RecordLimit<T> = { readonly where: Where<T>; readonly limit: number }

/** For `catch`: calls `answer` if a unique key was taken and rethrows any other error. */
export const ifKeyTaken =
  <T>(answer: () => T) =>
  (error: unknown): T => {
    if (error instanceof KeyTaken) return answer()
    throw error
  }

/** For `catch`: throws the refusal if a unique key was taken, and rethrows any other error. */
export const refuseIfKeyTaken = (refusal: () => Refusal) =>
  ifKeyTaken((): never => {
    throw refusal()
  })

/** The storage port. Writes are durable when their promise resolves. Records are copied in and out. */
export interface Repository<T extends StoredRecord> {
  readonly noun: string
  /** The match with the smallest `_id`. */
  get(where: Where<T>): Promise<T | undefined>
  /** One page, and the number of all matches. */
  list(query: RepositoryListQuery<T>): Promise<Page<T>>
  /** In `_id` order, read in pages: memory stays bounded. */
  each(where: Where<T>): AsyncIterable<T>
  /** @throws KeyTaken, RecordLimitReached */
  add(record: T, room?: RecordLimit<T>): Promise<void>
  /**
   * Adds the records whose unique keys are free, in one write, and returns them; none if they do not all fit into
   * the room, also under concurrency.
   * @throws RecordLimitReached
   */
  addNew(records: readonly T[], room?: RecordLimit<T>): Promise<readonly T[]>
  /**
   * Applies a pure, synchronous `decide` with no lost update and returns what is stored now; undefined if none
   * matches. `decide` may run more than once; if it throws, the record stays unchanged. Returning the same object
   * writes nothing.
   * @throws KeyTaken
   */
  change(where: Where<T>, decide: (current: T) => T): Promise<T | undefined>
  /**
   * Changes the next matches, in `_id` order, and returns the last `_id`; undefined if none is left. A walk
   * continues from there, also after a crash. Concurrently changed records are decided again, or skipped if they no
   * longer match. Must not change unique keys.
   */
  changeNext(where: Where<T>, decide: (current: T) => T, batch: BatchRange): Promise<string | undefined>
  /** Returns the removed record. */
  remove(where: Where<T>): Promise<T | undefined>
  /** Returns the number of removed records. */
  removeAll(where: Where<T>): Promise<number>
}

export type RepositoriesFor<T extends Record<string, StoredRecord>> = { readonly [K in keyof T]: Repository<T[K]> }

/** For callers that need only these fields. */
export type RecordLookup<T> = { readonly noun: string; get(where: Where<T>): Promise<T | undefined> }

export type RecordKind<T extends StoredRecord> = {
  /** As in «Segment not found». */
  readonly noun: string
  /** `_id` is always unique. */
  readonly unique: readonly (readonly (keyof T & string)[])[]
  /** Adapters create real indexes of these fields. */
  readonly index: readonly (readonly (keyof T & string)[])[]
  /** Indexed fields that few records have; other records are not in the index. */
  readonly sparse: readonly (keyof T & string)[]
  /** Absent: the record belongs to the store. */
  readonly owner: Readonly<Partial<Record<'account' | 'project', string>>>
  /** For the type only; never read. */
  readonly type?: T
}

/** Belongs to a project, by its `projectId`, by default. */
export const defineRecordKind = <T extends StoredRecord>(
  noun: string,
  { unique = [], index = [], sparse = [], owner = { project: 'projectId' } }: Partial<Omit<RecordKind<T>, 'noun'>> = {},
): RecordKind<T> => ({ noun, unique, index, sparse, owner })

/** @throws Refusal `not-found`, named by the noun of its repository */
export const orNotFound = <T>({ noun }: { readonly noun: string }, record: T | undefined): T => {
  if (record === undefined) throw notFound(noun)
  return record
}

/** @throws Refusal `not-found` */
export const getOrNotFound = async <T>(
  repository: RecordLookup<T>,
  where: Parameters<RecordLookup<T>['get']>[0],
): Promise<T> => orNotFound(repository, await repository.get(where))
