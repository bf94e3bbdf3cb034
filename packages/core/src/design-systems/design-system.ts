import { z } from 'zod'
import { type InProject, recordView } from '../kernel/shapes.js'
import { baseDesignSystem } from './base-design-system.js'
import {
  ComponentStyle,
  type Design,
  type DesignEntry,
  type DesignEntryKey,
  type DesignValue,
  designOverrideCategories,
} from './design-values.js'

const entry = <V extends z.ZodType>(value: V) =>
  z.object({
    name: z.string().describe('Name of the entry'),
    value,
    main: z.boolean().optional().describe('Default entry of its group; at most one'),
    description: z.string().optional().describe('What it is for'),
    overridden: z.boolean().optional().describe('True if the project overrides it'),
  })

const TextEntry = entry(z.string().describe('A color, font stack, URL or text, by its group')).meta({
  id: 'DesignEntry',
  description: 'A named value of the design system',
})
const ComponentEntry = entry(ComponentStyle).meta({
  id: 'DesignComponent',
  description: 'A named style of the design system',
})

const values = (description: string) => z.array(TextEntry).describe(description)
const styles = (description: string) => z.array(ComponentEntry).describe(description)

/** Spec, "Design system": the base with the project's overrides. */
export const DesignSystemView = recordView({
  name: z.string().describe('Name of the design system'),
  variables: z
    .object({
      colors: values('As #rrggbb'),
      fontStacks: values('Font families by their role'),
      images: values('URLs of images'),
      links: values('URLs of pages'),
      texts: values('Texts that mails share'),
    })
    .describe('Values that templates and components refer to'),
  font: z
    .object({ resources: values('URLs of web-font style sheets'), stacks: values('Font families to choose from') })
    .describe('Web fonts and font families'),
  components: z
    .object({
      buttons: styles('Styles of buttons'),
      texts: styles('Styles of texts'),
      images: styles('Styles of images'),
      dividers: styles('Styles of dividers'),
    })
    .describe('Styles of components'),
}).meta({ id: 'DesignSystem', description: 'Colors, fonts, texts and styles of the project’s mails' })
export type DesignSystemView = z.output<typeof DesignSystemView>

export type DesignOverride = DesignEntryKey & {
  readonly value: DesignValue
  readonly main?: boolean
  readonly description?: string
}

/** Created by the first override. */
export type DesignSystem = InProject & { readonly overrides: readonly DesignOverride[] }

const sameGroup = (a: Omit<DesignEntryKey, 'name'>, b: Omit<DesignEntryKey, 'name'>) =>
  a.category === b.category && a.key === b.key

export const isSameDesignEntryKey = (a: DesignEntryKey, b: DesignEntryKey): boolean =>
  sameGroup(a, b) && a.name === b.name

const overriddenBy = (base: DesignEntry | undefined, { name, value, description }: DesignOverride): DesignEntry => {
  const said = description ?? base?.description
  return { name, value, ...(said && { description: said }), overridden: true }
}

/** Project entries override or extend the base's; at most one is main. */
const mergedGroup = (base: readonly DesignEntry[], own: readonly DesignOverride[]): readonly DesignEntry[] => {
  const names = new Set([...base, ...own].map(({ name }) => name))
  const main =
    own.find((one) => one.main)?.name ??
    base.find((one) => one.main && own.find(({ name }) => name === one.name)?.main !== false)?.name
  return [...names].map((name) => {
    const { main: _, ...standing } = base.find((one) => one.name === name) ?? { name, value: '' }
    const override = own.find((one) => one.name === name)
    const shown = override ? overriddenBy(standing, override) : standing
    return name === main ? { ...shown, main: true } : shown
  })
}

/** An override without a description keeps the base's. */
export const mergedDesign = (overrides: readonly DesignOverride[], base: Design = baseDesignSystem): Design =>
  Object.fromEntries(
    Object.entries(designOverrideCategories).map(([category, keys]) => [
      category,
      Object.fromEntries(
        Object.keys(keys).map((key) => [
          key,
          mergedGroup(
            (base[category as keyof Design] as Readonly<Record<string, readonly DesignEntry[]>>)[key] ?? [],
            overrides.filter((one) => sameGroup(one, { category, key } as DesignOverride)),
          ),
        ]),
      ),
    ]),
  ) as Design

/** A main one replaces the main entry of its group. */
export const mergedDesignOverrides = (
  overrides: readonly DesignOverride[],
  given: readonly DesignOverride[],
): readonly DesignOverride[] =>
  given.reduce<readonly DesignOverride[]>((all, one) => {
    const others = one.main ? all.map((other) => (sameGroup(other, one) ? notMain(other) : other)) : all
    return others.some((other) => isSameDesignEntryKey(other, one))
      ? others.map((other) => (isSameDesignEntryKey(other, one) ? one : other))
      : [...others, one]
  }, overrides)

const notMain = ({ main, ...override }: DesignOverride): DesignOverride =>
  main ? override : { ...override, ...(main === false && { main }) }

/** Ignores unknown names. */
export const resetOverrides = (
  overrides: readonly DesignOverride[],
  given: readonly DesignEntryKey[],
): readonly DesignOverride[] =>
  overrides.filter((override) => !given.some((one) => isSameDesignEntryKey(one, override)))

/** For merge tags: `{{design.colors.primary}}`, `{{design.texts.company}}`. */
export type DesignVariables = Readonly<Record<string, Readonly<Record<string, DesignValue>>>>

export const designVariables = ({ variables }: Design): DesignVariables =>
  Object.fromEntries(
    Object.entries(variables).map(([key, entries]) => [
      key,
      Object.fromEntries(entries.map(({ name, value }) => [name, value])),
    ]),
  )
