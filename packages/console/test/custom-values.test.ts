import { describe, expect, it } from 'vitest'
import { customFactText } from '../src/audience/custom-values.js'

describe('a custom field on the page of a contact', () => {
  const shown = {
    date: (instant: string | number, zone?: string) => `${instant} in ${zone}`,
    dateTime: (instant: string | number) => `${instant} here`,
  }

  it.each([
    ['date', '2025-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z in UTC'],
    ['date', '2025-01-01T10:30:00.000Z', '2025-01-01T10:30:00.000Z here'],
    ['date', undefined, '–'],
    ['string', '2025-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'],
    ['number', 0, '0'],
    ['boolean', false, 'false'],
    ['string', '', '–'],
  ] as const)('of type %s says %s as %s', (type, value, text) => {
    expect(customFactText(type, value, shown)).toBe(text)
  })
})
