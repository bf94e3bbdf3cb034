import { z } from 'zod'
import { invalid } from './refusal.js'
import type { Listed, Repository, Scalar, Sort, Stored, Where } from './repository.js'

/** The spec's standard list query, as text from a URL: `limit`, `skip`, `sort`, `order`, `filter[<field>]`. */
export const ListQueryFields = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .default(10)
    .transform((n) => Math.min(n, 30)),
  skip: z.coerce.number().int().min(0).default(0),
  sort: z.string().optional(),
  order: z.enum(['asc', 'desc']).optional(),
  filter: z.record(z.string(), z.string()).optional(),
})
export type StandardQuery = z.input<typeof ListQueryFields>

export type Page = { readonly skip: number; readonly limit: number }

/** Kinds of a filterable field, by the zod type that the response shows it with. */
const bare = (type: z.ZodType): z.ZodType =>
  type instanceof z.ZodOptional || type instanceof z.ZodNullable || type instanceof z.ZodDefault
    ? bare(type.unwrap() as z.ZodType)
    : type

const read = (field: string, type: z.ZodType, text: string): Scalar => {
  const kind = bare(type)
  if (kind instanceof z.ZodArray) return read(field, kind.element as z.ZodType, text)
  if (kind instanceof z.ZodNumber) {
    const n = Number(text)
    if (text.trim() === '' || Number.isNaN(n)) throw invalid(`filter[${field}]: expected a number`)
    return n
  }
  if (kind instanceof z.ZodBoolean) {
    if (text !== 'true' && text !== 'false') throw invalid(`filter[${field}]: expected true or false`)
    return text === 'true'
  }
  return text
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

/**
 * One page of records as a view shows them. Only fields of the view can be sorted and filtered by.
 * @throws Refusal `invalid` for an unknown field in `sort` or `filter`
 */
export const listed = async <T extends Stored, V extends z.ZodObject>(
  repository: Repository<T>,
  where: Where<T>,
  view: V,
  query: z.output<typeof ListQueryFields>,
  standing: Sort<T> = { by: 'createdAt' as keyof T & string, order: 'desc' },
): Promise<Listed<T>> => {
  const fields = view.shape as Readonly<Record<string, z.ZodType>>
  const wrong: string[] = []
  const sortBy = query.sort ?? standing.by
  if (query.sort !== undefined && !(Object.hasOwn(fields, sortBy) && scalar(fields[sortBy] as z.ZodType)))
    wrong.push(`sort: ${sortBy} is not a field to sort by`)
  const filter: Record<string, Scalar> = {}
  for (const [field, text] of Object.entries(query.filter ?? {})) {
    const type = Object.hasOwn(fields, field) ? fields[field] : undefined
    if (type === undefined) wrong.push(`filter[${field}]: unknown field`)
    else filter[field] = read(field, type, text)
  }
  if (wrong.length > 0) throw invalid(...wrong)
  return repository.list({
    where: { ...(filter as Where<T>), ...where },
    sort: { by: sortBy as keyof T & string, order: query.order ?? standing.order },
    skip: query.skip,
    limit: query.limit,
  })
}

/** All of a repository's records that fit, in memory: only where the number is known to be small. */
export const collected = async <T extends Stored>(records: AsyncIterable<T>): Promise<readonly T[]> => {
  const all: T[] = []
  for await (const one of records) all.push(one)
  return all
}
