/** What every stored record has. All other fields are plain data: strings, numbers, booleans, null, arrays and objects. */
export type Stored = { readonly _id: string }

/**
 * Equality (a value) or membership (an array of values) on top-level fields, AND-ed. On an array field a value means
 * "contains". `undefined` as a value means "the field is absent". An empty array matches nothing. A dotted key reaches one
 * level into an object field (`customFields.city`).
 */
export type Where<T> = { readonly [K in keyof T]?: WhereValue } & { readonly [path: `${string}.${string}`]: WhereValue }
/**
 * A condition on fields that all records of a family have, for whichever of them is meant: of a type that is still open, the compiler
 * does not see that it has them.
 */
export const whereOf = <Family extends object, T extends Family>(where: Where<Family>): Where<T> =>
  where as unknown as Where<T>
export type WhereValue = Scalar | undefined | readonly Scalar[]
export type Scalar = string | number | boolean | null

export type Sort<T> = { readonly by: keyof T & string; readonly order: 'asc' | 'desc' }
/** Ordered by the asked field (absent and null values first when ascending), then by `_id` in the same direction. */
export type ListQuery<T> = {
  readonly where: Where<T>
  readonly sort: Sort<T>
  readonly skip: number
  readonly limit: number
}
export type Page<T> = { readonly items: readonly T[]; readonly count: number }

/** So many records, of those after that `_id`. */
export type Batch = { readonly after?: string | undefined; readonly limit: number }

/** Thrown by `add` and `change` when a unique key of the manifest is taken; `fields` is that key. Nothing was written. */
export class KeyTaken extends Error {
  override readonly name = 'KeyTaken'

  constructor(
    readonly collection: string,
    readonly fields: readonly string[],
  ) {
    super(`${collection}: ${fields.join(' + ')} is taken`)
  }
}

/** Thrown by `add` and `addNew` where more than `limit` records would be in the room. Nothing was written. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached'

  constructor(
    readonly collection: string,
    readonly limit: number,
  ) {
    super(`${collection}: there are ${limit} already`)
  }
}

/** At most `limit` records that fit `where`. */
export type Room<T> = { readonly where: Where<T>; readonly limit: number }

/** For `catch`, after `add` and `change`: answers or throws where a unique key was taken; any other error passes on. */
export const ifKeyTaken =
  <T>(answer: () => T) =>
  (error: unknown): T => {
    if (error instanceof KeyTaken) return answer()
    throw error
  }

/**
 * The one storage port. A promise that resolves was durable first. Records go in and come out as copies: changing one in
 * memory changes nothing that is stored.
 */
export interface Repository<T extends Stored> {
  /** The manifest's word for one of its records. */
  readonly noun: string
  /** The record that fits, undefined where none does; the one with the smallest `_id` where several do. */
  get(where: Where<T>): Promise<T | undefined>
  /** One page and the number of all that fit. */
  list(query: ListQuery<T>): Promise<Page<T>>
  /** Every record that fits, in `_id` order, read in pages: memory stays bounded. */
  each(where: Where<T>): AsyncIterable<T>
  /** @throws KeyTaken, LimitReached where the room has no place for it */
  add(record: T, room?: Room<T>): Promise<void>
  /**
   * Adds those of the records whose unique keys are free, in one write, and returns them. All that are new find a place in the room, or
   * none is added, also where several callers add at once.
   * @throws LimitReached
   */
  addNew(records: readonly T[], room?: Room<T>): Promise<readonly T[]>
  /**
   * Applies a pure, synchronous `decide` to the current record with no lost update, and answers what is stored now;
   * undefined where none fits. `decide` may run more than once; what it throws leaves the record as it was and passes on.
   * Returning the same object writes nothing.
   * @throws KeyTaken
   */
  change(where: Where<T>, decide: (current: T) => T): Promise<T | undefined>
  /**
   * Applies `decide` as `change` does to the next records that fit, in `_id` order, in few writes. Answers the `_id` up to which it
   * is done, undefined where none is left: a walk goes on from there, also one that a crash broke off. What changes meanwhile is
   * decided anew, or, where it does not fit any more, left alone. `decide` leaves the fields of unique keys as they are.
   */
  changeNext(where: Where<T>, decide: (current: T) => T, batch: Batch): Promise<string | undefined>
  /** Removes the record that fits and answers it. */
  remove(where: Where<T>): Promise<T | undefined>
  /** Removes all that fit and answers how many. */
  removeAll(where: Where<T>): Promise<number>
}

/** The repositories of these records, by name: what a feature asks for, of all that there are. */
export type RepositoriesFor<T extends Record<string, Stored>> = { readonly [K in keyof T]: Repository<T[K]> }

/** Looks one record up by some of its fields: for whoever has to know no more of it than these. */
export type Lookup<T> = { readonly noun: string; get(where: Where<T>): Promise<T | undefined> }

export type RecordKind<T extends Stored> = {
  /** As a person reads it in a refusal: «Segment not found». */
  readonly noun: string
  /** No two records have the same values in all fields of a key. `_id` is always unique. */
  readonly unique: readonly (readonly (keyof T & string)[])[]
  /** What look-ups and lists go by; adapters make real indexes of them. */
  readonly index: readonly (readonly (keyof T & string)[])[]
  /** Fields that few records have, by which those are found: the others are in no index of it. */
  readonly sparse: readonly (keyof T & string)[]
  /** The fields that say whose a record is; those of a kind without any belong to the store. */
  readonly owner: Readonly<Partial<Record<'account' | 'project', string>>>
  /** Carries the record's type; never read. */
  readonly type?: T
}

/** A kind of record; a project's, by its `projectId`, unless it says otherwise. */
export const record = <T extends Stored>(
  noun: string,
  { unique = [], index = [], sparse = [], owner = { project: 'projectId' } }: Partial<Omit<RecordKind<T>, 'noun'>> = {},
): RecordKind<T> => ({ noun, unique, index, sparse, owner })
