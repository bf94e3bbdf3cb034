import { filterableFieldsOf, sortableFieldsOf } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import type { Route } from '../route.js'

const pathParameters: Readonly<Record<string, string>> = {
  projectId: 'Id of the project',
  subscriberListId: 'Id of the subscriber list',
  domainId: 'Id of the domain',
  identityId: 'Id of the sender identity',
  email: 'E-mail address, percent-encoded',
  name: 'API name of the custom field',
}

type Samples = Readonly<Record<string, unknown>>

const withExample = (type: z.ZodType, key: string, samples: Samples) =>
  samples[key] === undefined ? type : type.meta({ ...type.meta(), param: { example: samples[key] } })

export const pathParametersOf = (path: string, samples: Samples) =>
  z.object(
    Object.fromEntries(
      [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [
        name,
        withExample(z.string().meta({ description: pathParameters[name] ?? 'Id of the record' }), name, samples),
      ]),
    ),
  )

/** The API refuses larger numbers. */
const largest = 999_999_999_999_999

const ignored = 'Accepted and ignored: this list has no pages'

/** For filters and sorting. */
const shownFields = ({ success: [, view] }: Route): Readonly<Record<string, z.ZodType>> => {
  const items = view instanceof z.ZodObject ? (view.shape as Readonly<Record<string, z.ZodType>>).items : undefined
  const item = items instanceof z.ZodArray ? items.element : undefined
  if (!(item instanceof z.ZodObject)) return {}
  // Computed, not stored.
  const { warnings: _, ...kept } = item.shape as Readonly<Record<string, z.ZodType>>
  return kept
}

const limitOf = (type: z.ZodType, pages: boolean) => {
  const number = z.int().min(1).max(largest)
  const description = pages ? 'Number of items; at most 30 are returned' : ignored
  return type.safeParse('unlimited').success
    ? z
        .union([number, z.literal('unlimited')])
        .default(10)
        .meta({ description: `${description}; \`unlimited\` returns all of them, oldest first` })
    : number.default(10).meta({ description })
}

const sortOf = (row: Route, type: z.ZodType) => {
  const said = type instanceof z.ZodDefault || type instanceof z.ZodOptional ? type.unwrap() : type
  const [first, ...others] = row.sorts ?? sortableFieldsOf(shownFields(row))
  const fields = said instanceof z.ZodEnum || first === undefined ? said : z.enum([first, ...others])
  const description = 'The field to sort by; default `createdAt`'
  return (said instanceof z.ZodEnum ? type : (fields as z.ZodType).optional()).meta({
    description: row.paginated ? description : ignored,
  })
}

const orderOf = (row: Route, type: z.ZodType) =>
  type.meta({ description: row.paginated ? 'The sort order; default `desc`' : ignored })

const filterOf = (field: string, type: z.ZodType) => [
  `filter[${field}]`,
  type.optional().meta({ description: `Items whose \`${field}\` equals this value, or contains it if it is a list` }),
]

/** As numbers and enums although a URL has only text. */
const standardParameters: Readonly<
  Record<string, (row: Route, type: z.ZodType) => Readonly<Record<string, z.ZodType>>>
> = {
  limit: (row, type) => ({ limit: limitOf(type, row.paginated === true) }),
  skip: (row) => ({
    skip: z
      .int()
      .min(0)
      .max(largest)
      .default(0)
      .meta({ description: row.paginated ? 'Number of items to skip' : ignored }),
  }),
  sort: (row, type) => ({ sort: sortOf(row, type) }),
  order: (row, type) => ({ order: orderOf(row, type) }),
  filter: (row) =>
    Object.fromEntries(
      Object.entries(filterableFieldsOf(row.filters ?? shownFields(row))).map(([field, type]) => filterOf(field, type)),
    ),
}

export const queryParametersOf = (row: Route, samples: Samples): z.ZodObject | undefined => {
  if (!(row.query instanceof z.ZodObject)) return undefined
  const shape = row.query.shape as Readonly<Record<string, z.ZodType>>
  const described = Object.entries(shape).flatMap(([key, type]) =>
    Object.entries(standardParameters[key]?.(row, type) ?? { [key]: type }),
  )
  if (described.length === 0) return undefined
  return z.object(Object.fromEntries(described.map(([key, type]) => [key, withExample(type, key, samples)])))
}
