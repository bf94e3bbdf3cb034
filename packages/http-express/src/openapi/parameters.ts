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

/** For filters and sorting. */
const shownFields = ({ success: [, view] }: Route): Readonly<Record<string, z.ZodType>> => {
  const items = view instanceof z.ZodObject ? (view.shape as Readonly<Record<string, z.ZodType>>).items : undefined
  const item = items instanceof z.ZodArray ? items.element : undefined
  if (!(item instanceof z.ZodObject)) return {}
  // Computed, not stored.
  const { warnings: _, ...kept } = item.shape as Readonly<Record<string, z.ZodType>>
  return kept
}

const limitOf = (type: z.ZodType) => {
  const number = z.int().min(1).max(largest)
  const description = 'Number of items; at most 30 are returned'
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
  return (said instanceof z.ZodEnum ? type : (fields as z.ZodType).optional()).meta({
    description: 'The field to sort by; default `createdAt`',
  })
}

const filterOf = (field: string, type: z.ZodType) => [
  `filter[${field}]`,
  type.optional().meta({ description: `Items whose \`${field}\` equals this value, or contains it if it is a list` }),
]

/** As numbers and enums although a URL has only text. */
const standardParameters: Readonly<
  Record<string, (row: Route, type: z.ZodType) => Readonly<Record<string, z.ZodType>>>
> = {
  limit: (_row, type) => ({ limit: limitOf(type) }),
  skip: () => ({ skip: z.int().min(0).max(largest).default(0).meta({ description: 'Number of items to skip' }) }),
  sort: (row, type) => ({ sort: sortOf(row, type) }),
  order: (_row, type) => ({ order: type.meta({ description: 'The sort order; default `desc`' }) }),
  filter: (row) =>
    Object.fromEntries(
      Object.entries(filterableFieldsOf(row.filters ?? shownFields(row))).map(([field, type]) => filterOf(field, type)),
    ),
}

export const queryParametersOf = (row: Route, samples: Samples): z.ZodObject | undefined => {
  if (!(row.query instanceof z.ZodObject)) return undefined
  const shape = row.query.shape as Readonly<Record<string, z.ZodType>>
  const described = Object.entries(shape).flatMap(([key, type]) =>
    Object.entries(
      (row.paginated || key === 'filter' ? standardParameters[key]?.(row, type) : undefined) ?? { [key]: type },
    ),
  )
  if (described.length === 0) return undefined
  return z.object(Object.fromEntries(described.map(([key, type]) => [key, withExample(type, key, samples)])))
}
