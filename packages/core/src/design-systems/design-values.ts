import { z } from 'zod'
import { WebUrl } from '../kernel/shapes.js'

const webUrl = WebUrl.max(2000)

const Color = z.string().regex(/^#[0-9a-f]{6}$/i, 'expected a color as #rrggbb')

const family = String.raw`(?:"[\w -]+"|'[\w -]+'|[A-Za-z][\w -]*)`

/** CSS Fonts, section 2.1: family names in order of preference, quoted or unquoted. */
const FontStack = z
  .string()
  .max(500)
  .regex(new RegExp(`^${family}(?:, *${family})*$`), "expected a font stack such as 'Open Sans', Arial, sans-serif")

const SharedText = z.string().max(2000)

const property = /^-{0,2}[a-z][a-zA-Z]*(?:-[a-z]+)*$/

/** Names of `Object.prototype` are rejected even as own properties: later readers of the style might not distinguish them. */
const isProperty = (name: string) => property.test(name) && name.length <= 100 && !Object.hasOwn(Object.prototype, name)

const StyleValue = z.union(
  [
    z
      .string()
      .max(500)
      .regex(/^[^;{}<>\0]*$/, 'must not contain ; { } < or >'),
    z.number(),
    z.boolean(),
  ],
  'expected a text, a number or a boolean',
)

/** CSS-like properties by name, with plain values. */
export const ComponentStyle = z
  .record(z.string(), StyleValue, 'expected a style object')
  .meta({ description: 'CSS-like properties, as the editor names them' })
export type ComponentStyle = z.output<typeof ComponentStyle>

const maxProperties = 100

/** zod silently drops `__proto__`, so the names are checked before the record is parsed. */
const GivenStyle = z
  .custom<object>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'expected a style object',
    abort: true,
  })
  .refine((value) => Object.keys(value).length <= maxProperties, {
    error: `expected at most ${maxProperties} properties`,
    abort: true,
  })
  .refine((value) => Object.keys(value).every(isProperty), {
    error: 'expected property names such as fontSize or font-size',
    abort: true,
  })
  .pipe(ComponentStyle)

/** The spec's override categories with their keys, and the schema of the values in each. */
export const categories = {
  variables: { colors: Color, fontStacks: FontStack, images: webUrl, links: webUrl, texts: SharedText },
  font: { resources: webUrl, stacks: FontStack },
  components: { buttons: GivenStyle, texts: GivenStyle, images: GivenStyle, dividers: GivenStyle },
} as const satisfies Record<string, Record<string, z.ZodType>>

export type Category = keyof typeof categories
export type Group<C extends Category> = keyof (typeof categories)[C]

/** The value of an entry. */
export type DesignValue = string | ComponentStyle

/** Identifies an entry. */
export type EntryKey = { readonly category: Category; readonly key: string; readonly name: string }

export const keysOf = (category: Category): readonly string[] => Object.keys(categories[category])

/** The schema of a value; undefined if the category has no such key. */
export const valueSchema = (category: Category, key: string): z.ZodType | undefined =>
  Object.hasOwn(categories[category], key)
    ? (categories[category] as Readonly<Record<string, z.ZodType>>)[key]
    : undefined

/** An entry of the base or of the merged view. */
export type DesignEntry = {
  readonly name: string
  readonly value: DesignValue
  readonly main?: boolean
  readonly description?: string
  readonly overridden?: boolean
}

/** The entries of every category and key. */
export type Design = { readonly [C in keyof typeof categories]: { readonly [K in Group<C>]: readonly DesignEntry[] } }
