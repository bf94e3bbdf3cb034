import { z } from 'zod'
import { WebUrl } from '../kernel/shapes.js'

const webUrl = WebUrl.max(2000)

const Color = z.string().regex(/^#[0-9a-f]{6}$/i, 'expected a color as #rrggbb')

const family = String.raw`(?:"[\w -]+"|'[\w -]+'|[A-Za-z][\w -]*)`

/** CSS Fonts, section 2.1. */
const FontStack = z
  .string()
  .max(500)
  .regex(new RegExp(`^${family}(?:, *${family})*$`), "expected a font stack such as 'Open Sans', Arial, sans-serif")

const SharedText = z.string().max(2000)

const property = /^-{0,2}[a-z][a-zA-Z]*(?:-[a-z]+)*$/

/** Rejects names of `Object.prototype`, which readers of the style might not distinguish. */
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

export const ComponentStyle = z
  .record(z.string(), StyleValue, 'expected a style object')
  .describe('CSS-like properties, as the editor names them')
export type ComponentStyle = z.output<typeof ComponentStyle>

const maxProperties = 100

/** zod drops `__proto__` silently, so names are checked before. */
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

/** The spec's override categories. */
export const designOverrideCategories = {
  variables: { colors: Color, fontStacks: FontStack, images: webUrl, links: webUrl, texts: SharedText },
  font: { resources: webUrl, stacks: FontStack },
  components: { buttons: GivenStyle, texts: GivenStyle, images: GivenStyle, dividers: GivenStyle },
} as const satisfies Record<string, Record<string, z.ZodType>>

export type DesignValueCategory = keyof typeof designOverrideCategories
export type DesignCategoryKey<C extends DesignValueCategory> = keyof (typeof designOverrideCategories)[C]

export type DesignValue = string | ComponentStyle

export type DesignEntryKey = { readonly category: DesignValueCategory; readonly key: string; readonly name: string }

export const keysOfDesignCategory = (category: DesignValueCategory): readonly string[] =>
  Object.keys(designOverrideCategories[category])

/** Undefined if the category has no such key. */
export const designValueSchemaOf = (category: DesignValueCategory, key: string): z.ZodType | undefined =>
  Object.hasOwn(designOverrideCategories[category], key)
    ? (designOverrideCategories[category] as Readonly<Record<string, z.ZodType>>)[key]
    : undefined

export type DesignEntry = {
  readonly name: string
  readonly value: DesignValue
  readonly main?: boolean
  readonly description?: string
  readonly overridden?: boolean
}

export type Design = {
  readonly [C in keyof typeof designOverrideCategories]: {
    readonly [K in DesignCategoryKey<C>]: readonly DesignEntry[]
  }
}
