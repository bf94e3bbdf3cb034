import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { baseDesignSystem } from '../../src/design-systems/base-design-system.js'
import {
  type DesignOverride,
  designVariables,
  mergedDesign,
  mergedDesignOverrides,
  resetOverrides,
} from '../../src/design-systems/design-system.js'
import type { DesignEntry } from '../../src/design-systems/design-values.js'

const color = (name: string, value = '#ffffff', more: Partial<DesignOverride> = {}): DesignOverride => ({
  category: 'variables',
  key: 'colors',
  name,
  value,
  ...more,
})
const colors = (overrides: readonly DesignOverride[]) => mergedDesign(overrides).variables.colors
const mains = (overrides: readonly DesignOverride[]) =>
  colors(overrides)
    .filter(({ main }) => main)
    .map(({ name }) => name)

describe('the base design system', () => {
  it('has one main entry in every non-empty group', () => {
    for (const groups of Object.values(baseDesignSystem))
      for (const entries of Object.values(groups) as readonly (readonly DesignEntry[])[]) {
        expect(entries.filter(({ main }) => main)).toHaveLength(Math.min(1, entries.length))
        expect(new Set(entries.map(({ name }) => name)).size).toBe(entries.length)
      }
  })

  it('is what a project without overrides sees', () => {
    expect(mergedDesign([])).toEqual(baseDesignSystem)
  })
})

describe('overrides', () => {
  it('keep the position and description of the base entry', () => {
    const [first] = colors([color('primary', '#aa0000')])
    expect(first).toEqual({ ...baseDesignSystem.variables.colors[0], value: '#aa0000', overridden: true })
  })

  it('move the main entry, and restore it when they are reset', () => {
    const set = mergedDesignOverrides([], [color('accent', '#aa0000', { main: true })])
    expect(mains(set)).toEqual(['accent'])
    expect(mains(mergedDesignOverrides(set, [color('text', '#000000', { main: true })]))).toEqual(['text'])
    expect(mains(resetOverrides(set, [color('accent')]))).toEqual(['primary'])
    expect(mains([color('primary', '#aa0000', { main: false })])).toEqual([])
  })

  it('may add entries after the base’s', () => {
    const inter: DesignOverride = { category: 'font', key: 'stacks', name: 'inter', value: 'Inter, sans-serif' }
    expect(mergedDesign([inter]).font.stacks.at(-1)).toEqual({
      name: 'inter',
      value: 'Inter, sans-serif',
      overridden: true,
    })
  })

  it('are visible to merge tags', () => {
    expect(designVariables(mergedDesign([color('primary', '#aa0000')]))).toMatchObject({
      colors: { primary: '#aa0000', onPrimary: '#ffffff' },
      texts: { greeting: 'Hello' },
    })
  })

  const names = fc.constantFrom(...baseDesignSystem.variables.colors.map(({ name }) => name))
  const someColors = fc.uniqueArray(
    fc
      .record({ name: names, main: fc.option(fc.boolean(), { nil: undefined }) })
      .map(({ name, main }) => color(name, '#123456', main === undefined ? {} : { main })),
    { selector: ({ name }) => name },
  )

  it('never make two main entries, and leave nothing after a reset', () => {
    fc.assert(
      fc.property(someColors, someColors, (one, other) => {
        const set = mergedDesignOverrides(mergedDesignOverrides([], one), other)
        expect(mains(set).length).toBeLessThanOrEqual(1)
        expect(resetOverrides(set, [...one, ...other])).toEqual([])
      }),
    )
  })

  it('set twice are set once', () => {
    fc.assert(
      fc.property(someColors, (given) => {
        const once = mergedDesignOverrides([], given)
        expect(mergedDesign(mergedDesignOverrides(once, given))).toEqual(mergedDesign(once))
      }),
    )
  })
})
