import { describe, expect, it } from 'vitest'
import { columnPlan } from '../src/cli/csv-columns.js'

const columnsOf = (...args: Parameters<typeof columnPlan>) => columnPlan(...args).columns

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

  it('passes over a column without a heading, and those that are to be ignored', () => {
    expect(columnPlan(['email', '', '', 'Note'], [], { ignore: ['Note'] })).toEqual({
      columns: ['email', undefined, undefined, undefined],
      unknown: [],
    })
  })

  it('is what it is said to be, before what it is called', () => {
    const map = new Map([
      ['Mail', 'email'],
      ['Plan', 'shoe size'],
      ['name', 'Nick Name'],
    ])
    expect(columnPlan(['Mail', 'Plan', 'name'], ['shoeSize'], { map })).toEqual({
      columns: ['email', 'shoeSize', 'nickName'],
      unknown: [{ index: 2, heading: 'name', field: 'nickName' }],
    })
  })

  it('offers the columns that no field fits as the fields that they would be', () => {
    expect(columnPlan(['email', 'Shoe size', 'hat'], ['city'])).toEqual({
      columns: ['email', 'shoeSize', 'hat'],
      unknown: [
        { index: 1, heading: 'Shoe size', field: 'shoeSize' },
        { index: 2, heading: 'hat', field: 'hat' },
      ],
    })
  })

  it('is refused without an address, saying how to name it', () => {
    const message = 'The first line names no column email. Say which it is: --map "<column>=email".'
    expect(() => columnsOf(['name'], [])).toThrow(message)
    expect(() => columnsOf([], [])).toThrow(message)
  })

  it('is refused where two columns are one field', () => {
    expect(() => columnsOf(['email', 'Email', 'hat', 'HAT'], [])).toThrow(
      'The first line cannot be understood: a second column for email; a second column for hat. Pass the other over: --ignore "<column>".',
    )
  })

  it('is refused where something is wished of a column that it does not have', () => {
    expect(() => columnsOf(['email', 'Plan'], [], { map: new Map([['plan', 'x']]), ignore: ['Hat'] })).toThrow(
      'The file has no column "plan", "Hat"; it has "email", "Plan".',
    )
  })
})
