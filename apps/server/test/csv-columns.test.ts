import { describe, expect, it } from 'vitest'
import { importColumnPlan } from '../src/cli/csv-columns.js'

const columnsOf = (...args: Parameters<typeof importColumnPlan>) => importColumnPlan(...args).columns

describe('the header of a CSV file', () => {
  it('matches fields in any spelling, and custom fields by name or API name', () => {
    expect(columnsOf(['E-Mail', 'NAME', 'Tags', 'Shoe size', 'größe'], ['shoeSize', 'groe'])).toEqual([
      'email',
      'name',
      'tags',
      'shoeSize',
      'groe',
    ])
  })

  it('prefers the field with the same spelling', () => {
    expect(columnsOf(['email', 'shoesize', 'shoeSize'], ['shoeSize', 'shoesize'])).toEqual([
      'email',
      'shoesize',
      'shoeSize',
    ])
  })

  it('ignores columns without a heading, and those excluded by options', () => {
    expect(importColumnPlan(['email', '', '', 'Note'], [], { ignore: ['Note'] })).toEqual({
      columns: ['email', undefined, undefined, undefined],
      unknown: [],
    })
  })

  it('maps by the options before the headings', () => {
    const map = new Map([
      ['Mail', 'email'],
      ['Plan', 'shoe size'],
      ['name', 'Nick Name'],
    ])
    expect(importColumnPlan(['Mail', 'Plan', 'name'], ['shoeSize'], { map })).toEqual({
      columns: ['email', 'shoeSize', 'nickName'],
      unknown: [{ index: 2, heading: 'name', field: 'nickName' }],
    })
  })

  it('proposes fields for unknown columns', () => {
    expect(importColumnPlan(['email', 'Shoe size', 'hat'], ['city'])).toEqual({
      columns: ['email', 'shoeSize', 'hat'],
      unknown: [
        { index: 1, heading: 'Shoe size', field: 'shoeSize' },
        { index: 2, heading: 'hat', field: 'hat' },
      ],
    })
  })

  it('is rejected without an address column, and says how to name it', () => {
    const message = 'The first line names no column email. Say which it is: --map "<column>=email".'
    expect(() => columnsOf(['name'], [])).toThrow(message)
    expect(() => columnsOf([], [])).toThrow(message)
  })

  it('is rejected if two columns map to one field', () => {
    expect(() => columnsOf(['email', 'Email', 'hat', 'HAT'], [])).toThrow(
      'The first line cannot be understood: a second column for email; a second column for hat. Pass the other over: --ignore "<column>".',
    )
  })

  it('is rejected if an option names a missing column', () => {
    expect(() => columnsOf(['email', 'Plan'], [], { map: new Map([['plan', 'x']]), ignore: ['Hat'] })).toThrow(
      'The file has no column "plan", "Hat"; it has "email", "Plan".',
    )
  })
})
