import type { BodyOf, DesignSystem } from '../api/types.js'
import type { Messages } from '../text/en.js'

type Override = NonNullable<BodyOf<'patch', '/design-systems/{id}'>['setOverrides']>[number]
export type StyleValue = string | number | boolean
export type Style = Readonly<Record<string, StyleValue>>
export type DesignValue = string | Style

export type DesignGroup = { readonly category: Override['category']; readonly key: Override['key'] }
export type DesignEntry = DesignGroup & {
  readonly name: string
  readonly value: DesignValue
  readonly main?: boolean | undefined
  readonly description?: string | undefined
  readonly overridden?: boolean | undefined
}

/** `null` resets the entry; by `idOf`. */
export type DesignEdits = Readonly<Record<string, DesignEntry | null>>

export const idOf = ({ category, key, name }: Omit<DesignEntry, 'value'>): string => `${category}/${key}/${name}`

const groupIn = (
  design: DesignSystem,
  { category, key }: DesignGroup,
): readonly Omit<DesignEntry, keyof DesignGroup>[] =>
  (design[category] as Readonly<Record<string, readonly Omit<DesignEntry, keyof DesignGroup>[]>>)[key] ?? []

/** The stored entries with the edits; added ones follow. */
export const entriesOf = (design: DesignSystem, group: DesignGroup, edits: DesignEdits): readonly DesignEntry[] => {
  const stored = groupIn(design, group).map((entry): DesignEntry => {
    const whole = { ...group, ...entry }
    return edits[idOf(whole)] ?? whole
  })
  const added = Object.values(edits).filter(
    (edit): edit is DesignEntry =>
      edit !== null &&
      edit.category === group.category &&
      edit.key === group.key &&
      !stored.some(({ name }) => name === edit.name),
  )
  const all = [...stored, ...added]
  const main = Object.values(edits).find(
    (edit) => edit?.main && edit.category === group.category && edit.key === group.key,
  )
  return main ? all.map((entry) => ({ ...entry, main: entry.name === main.name })) : all
}

/** The body of the request, and which edit each of its overrides is. */
export const designEditsBody = (edits: DesignEdits) => {
  const set = Object.entries(edits).flatMap(([id, edit]) => (edit ? [{ id, edit }] : []))
  const reset = Object.entries(edits).flatMap(([id, edit]) => {
    const [category, key, ...name] = id.split('/')
    return edit ? [] : [{ category, key, name: name.join('/') } as Omit<Override, 'value'>]
  })
  return {
    ids: set.map(({ id }) => id),
    body: {
      setOverrides: set.map(({ edit: { category, key, name, value, main } }) => ({
        category,
        key,
        name,
        value,
        ...(main && { main }),
      })),
      resetOverrides: reset.map(({ category, key, name }) => ({ category, key, name })),
    },
  }
}

export const parts = {
  colors: [['variables', 'colors', 'designColors']],
  fonts: [
    ['variables', 'fontStacks', 'designFontRoles'],
    ['font', 'stacks', 'designFontStacks'],
    ['font', 'resources', 'designFontResources'],
  ],
  words: [
    ['variables', 'texts', 'designTexts'],
    ['variables', 'links', 'designLinks'],
    ['variables', 'images', 'designImages'],
  ],
  components: [
    ['components', 'buttons', 'designButtons'],
    ['components', 'texts', 'designTextStyles'],
    ['components', 'images', 'designImageStyles'],
    ['components', 'dividers', 'designDividers'],
  ],
} as const satisfies Readonly<
  Record<string, readonly (readonly [DesignGroup['category'], DesignGroup['key'], keyof Messages])[]>
>
export type Part = keyof typeof parts
export const partLabels = {
  colors: 'designColors',
  fonts: 'designFonts',
  words: 'designWords',
  components: 'designComponents',
} as const satisfies Record<Part, keyof Messages>
