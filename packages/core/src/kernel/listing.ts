import { z } from 'zod'
import { compareByCodePoint, compareValues } from './collections.js'
import { assertNoViolations } from './refusal.js'
import {
  type ListSort,
  type Page,
  type Repository,
  type Scalar,
  type StoredRecord,
  uncheckedWhere,
  type Where,
} from './repository.js'
import { type Violation, wrongFieldViolation } from './violation.js'

const once = { error: 'expected a single value' }

/** Decimal digits only. */
const digits = (least: number) => {
  const error = `expected a whole number, ${least} or more`
  return z
    .string(once)
    .regex(/^\d{1,15}$/, error)
    .transform(Number)
    .pipe(z.int().min(least, error))
}

/** The spec's standard list query, as text from a URL. */
export const ListQueryFields = z.strictObject({
  limit: digits(1)
    .transform((n) => Math.min(n, 30))
    .default(10),
  skip: digits(0).default(0),
  sort: z.string(once).optional(),
  order: z.enum(['asc', 'desc'], 'expected asc or desc').optional(),
  filter: z.record(z.string(), z.string(once), 'expected filter[field]=value').optional(),
})

/** What a list is searched for. */
export const FindText = z.string(once).trim().max(200, 'expected at most 200 characters').optional()

export type ListQuery = z.output<typeof ListQueryFields>

type PageRange = { readonly skip: number; readonly limit: number }

const bare = (type: z.ZodType): z.ZodType =>
  type instanceof z.ZodOptional || type instanceof z.ZodNullable || type instanceof z.ZodDefault
    ? bare(type.unwrap() as z.ZodType)
    : type

/** Reads the filter by the type of its field. */
const read = (type: z.ZodType, text: string): { readonly value: Scalar } | { readonly problem: string } => {
  const kind = bare(type)
  if (kind instanceof z.ZodArray) return read(kind.element as z.ZodType, text)
  if (kind instanceof z.ZodNumber) {
    const value = Number(text)
    return text.trim() === '' || Number.isNaN(value) ? { problem: 'expected a number' } : { value }
  }
  if (kind instanceof z.ZodBoolean)
    return text === 'true' || text === 'false' ? { value: text === 'true' } : { problem: 'expected true or false' }
  if (kind instanceof z.ZodEnum && !kind.options.includes(text))
    return { problem: `expected ${kind.options.join(', ')}` }
  return { value: text }
}

const scalar = (type: z.ZodType) => {
  const kind = bare(type)
  return !(
    kind instanceof z.ZodArray ||
    kind instanceof z.ZodObject ||
    kind instanceof z.ZodRecord ||
    kind instanceof z.ZodAny ||
    kind instanceof z.ZodUnknown
  )
}

type Fields = Readonly<Record<string, z.ZodType>>

/** All fields except arrays and objects. */
export const sortableFieldsOf = (fields: Fields): readonly string[] =>
  Object.keys(fields).filter((field) => scalar(fields[field] as z.ZodType))

export const filterableFieldsOf = (fields: Fields): Fields => {
  const taken = Object.entries(fields).flatMap(([field, type]): readonly (readonly [string, z.ZodType])[] => {
    const kind = bare(type)
    const one = kind instanceof z.ZodArray ? bare(kind.element as z.ZodType) : kind
    if (!scalar(one)) return []
    if (one instanceof z.ZodNumber) return [[field, z.number()]]
    return [[field, one instanceof z.ZodBoolean || one instanceof z.ZodEnum ? one : z.string()]]
  })
  return Object.fromEntries(taken)
}

type ParsedQuery = {
  readonly where: Readonly<Record<string, Scalar>>
  readonly sort: { readonly by: string; readonly order: 'asc' | 'desc' }
}

/** Undefined if absent or not a text. */
export type SortAndFilterQuery = {
  readonly sort?: string | undefined
  readonly filter?: Readonly<Record<string, string | undefined>> | undefined
}

const filtered = (fields: Fields, field: string, text: string): ReturnType<typeof read> => {
  const type = Object.hasOwn(fields, field) ? fields[field] : undefined
  return type ? read(type, text) : { problem: 'unknown field' }
}

const isSortable = (fields: Fields, by: string) => Object.hasOwn(fields, by) && scalar(fields[by] as z.ZodType)

export const listQueryViolations = (
  fields: Fields,
  { sort, filter = {} }: SortAndFilterQuery,
): readonly Violation[] => {
  const filters = Object.entries(filter).flatMap(([field, text]) => {
    const found = text === undefined ? { value: '' } : filtered(fields, field, text)
    return 'problem' in found ? [wrongFieldViolation(`filter[${field}]`, found.problem)] : []
  })
  const isSorted = sort === undefined || isSortable(fields, sort)
  return [...(isSorted ? [] : [wrongFieldViolation('sort', `${sort} is not a field to sort by`)]), ...filters]
}

/** @throws Refusal `invalid` with all unknown fields and unfitting values of `sort` and `filter` */
export const parsedSortAndFilter = (
  fields: Fields,
  { sort, order, filter = {} }: SortAndFilterQuery & Pick<ListQuery, 'order'>,
  standing: ParsedQuery['sort'] = { by: 'createdAt', order: 'desc' },
): ParsedQuery => {
  assertNoViolations(listQueryViolations(fields, { sort, filter }))
  const where = Object.entries(filter).flatMap(([field, text]) => {
    const found = text === undefined ? undefined : filtered(fields, field, text)
    return found && 'value' in found ? [[field, found.value] as const] : []
  })
  return { where: Object.fromEntries(where), sort: { by: sort ?? standing.by, order: order ?? standing.order } }
}

/** Fields that may be large. */
const largeFields = ['document']

/** Large fields are read only if the view has them. Only fields of the view can be sorted and filtered by. @throws Refusal `invalid` for others */
export const listRecordsPage = async <T extends StoredRecord, V extends z.ZodObject>(
  repository: Repository<T>,
  where: Where<T>,
  view: V,
  query: ListQuery,
  standing?: ListSort<T>,
): Promise<Page<T>> => {
  const { where: filter, sort } = parsedSortAndFilter(
    view.shape as Readonly<Record<string, z.ZodType>>,
    query,
    standing,
  )
  return repository.list({
    where: { ...(filter as Where<T>), ...where },
    sort: sort as ListSort<T>,
    skip: query.skip,
    limit: query.limit,
    without: largeFields.filter((field) => !Object.hasOwn(view.shape, field)),
  })
}

/** For the few lists without pages. @throws Refusal `invalid` for an unknown field */
export const listAll = <T extends StoredRecord, V extends z.ZodObject>(
  repository: Repository<T>,
  where: Where<T>,
  view: V,
  filter: ListQuery['filter'],
  standing?: ListSort<T>,
): Promise<Page<T>> =>
  listRecordsPage(
    repository,
    where,
    view,
    { skip: 0, limit: Number.MAX_SAFE_INTEGER, ...(filter && { filter }) },
    standing,
  )

/** By the field, the largest first. `without`: as in `RepositoryListQuery`. */
export const newestRecords = async <T extends StoredRecord>(
  repository: Repository<T>,
  where: Where<T>,
  by: ListSort<T>['by'],
  limit: number,
  without: readonly string[] = [],
): Promise<readonly T[]> =>
  (await repository.list({ where, sort: { by, order: 'desc' }, skip: 0, limit, without })).items

export const countRecords = async <T extends StoredRecord>(
  repository: Repository<T>,
  where: Where<T>,
): Promise<number> => (await repository.list({ where, sort: { by: '_id', order: 'asc' }, skip: 0, limit: 1 })).count

/**
 * A sorted page of records that only a scan finds. The count is exact; memory is bounded by the end of the page.
 * Sorts by the key as repositories do, then by `_id`.
 */
export const scannedPage = async <T extends StoredRecord & { readonly key: Scalar | undefined }>(
  found: AsyncIterable<T>,
  order: 'asc' | 'desc',
  { skip, limit }: PageRange,
): Promise<Page<T>> => {
  const sign = order === 'asc' ? 1 : -1
  const compare = (a: T, b: T) => sign * (compareValues(a.key, b.key) || compareByCodePoint(a._id, b._id))
  const end = skip + limit
  let first: T[] = []
  let count = 0
  for await (const one of found) {
    count += 1
    first.push(one)
    if (first.length > 2 * end + 1000) first = first.sort(compare).slice(0, end)
  }
  return { items: first.sort(compare).slice(skip, end), count }
}

export async function* chunked<T>(items: AsyncIterable<T> | Iterable<T>, n: number): AsyncGenerator<readonly T[]> {
  let chunk: T[] = []
  for await (const item of items) {
    chunk.push(item)
    if (chunk.length < n) continue
    yield chunk
    chunk = []
  }
  if (chunk.length > 0) yield chunk
}

type OfProject = StoredRecord & { readonly projectId: string }

/** Those of the project that are there. */
export const recordsById = async <T extends OfProject>(
  repository: Pick<Repository<T>, 'each'>,
  projectId: string,
  ids: readonly (string | undefined)[],
): Promise<ReadonlyMap<string, T>> => {
  const _id = [...new Set(ids.filter((id) => id !== undefined))]
  const found =
    _id.length === 0 ? [] : await collected(repository.each(uncheckedWhere<OfProject, T>({ _id, projectId })))
  return new Map(found.map((one) => [one._id, one]))
}

/** Only for results known to be small. */
export const collected = async <T extends StoredRecord>(records: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = []
  for await (const one of records) all.push(one)
  return all
}
