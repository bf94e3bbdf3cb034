import { describe, expect, it } from 'vitest'
import { columnsOf } from '../src/cli/csv-columns.js'

describe('the header of a CSV file', () => {
  it('names fields in any spelling, and custom fields by name or API name', () => {
    expect(columnsOf(['E-Mail', 'NAME', 'Tags', 'Shoe size', 'größe'], ['shoeSize', 'groe'])).toEqual([
      'email',
      'name',
      'tags',
      'shoeSize',
      'groe',
    ])
  })

  it('prefers the field that is spelled the same', () => {
    expect(columnsOf(['email', 'shoesize', 'shoeSize'], ['shoeSize', 'shoesize'])).toEqual([
      'email',
      'shoesize',
      'shoeSize',
    ])
  })

  it('passes over a column without a heading', () => {
    expect(columnsOf(['email', '', ''], [])).toEqual(['email', undefined, undefined])
  })

  it('is refused without an address', () => {
    expect(() => columnsOf(['name'], [])).toThrow('The first line names no column email.')
    expect(() => columnsOf([], [])).toThrow('The first line names no column email.')
  })

  it('is refused with everything in it that is no field, or a field again', () => {
    expect(() => columnsOf(['email', 'Email', 'shoe', 'hat'], ['city'])).toThrow(
      'The first line cannot be understood: a second column for email; the column "shoe" is none of email, name, tags, city; the column "hat" is none of email, name, tags, city.',
    )
  })
})
