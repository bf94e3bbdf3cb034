import { csvRow, escapedFormulas } from '@posthorn/core/ports/transport'
import { createElement } from 'react'
import { describe, expect, it } from 'vitest'
import { collectRows, csvCell, csvOf, mostExported, pagesByOffset, textOf } from '../src/ui/csv.js'

const never = new AbortController().signal

describe('a cell', () => {
  it.each([
    '=1+1',
    '+49 40 1',
    '-1',
    '@SUM(A1)',
    '\t=1',
    'a;=2',
    'a;"=2',
    "'=1",
    '＝1',
    'plain',
    '"quoted"',
    ' padded ',
    'a,b',
    'a\nb',
    '',
  ])('is written as the server writes it: %j', (text) => {
    expect(`${csvCell(text)}\n`).toBe(csvRow([escapedFormulas(text)]))
  })

  it('is without the marks that isolate what a sentence is filled with, so that they hide no formula', () => {
    expect(csvCell('\u2068=1+1\u2069')).toBe("'=1+1")
  })
})

describe('a table in a file', () => {
  it('says what its cells say, with a space between their parts', () => {
    const cell = [createElement('b', {}, 'Ada'), null, false, createElement('span', {}, ['in ', 3, ' lists'])]
    expect(textOf(cell)).toBe('Ada in 3 lists')
  })

  it('leaves out columns that say nothing', async () => {
    const columns = [
      { label: 'Name', text: (row: string) => row },
      { label: 'Empty', text: () => '' },
      { label: 'Later', text: async (row: string) => `${row.length}` },
    ]
    expect(await csvOf(columns, ['=a', 'bc'])).toBe("Name,Later\n'=a,2\nbc,2\n")
  })

  it('has the rows of all pages, also if some are removed in between', async () => {
    const pages = [[1, 2], [3], []]
    const load = async ({ skip }: { skip: number }) => ({ items: pages[skip === 0 ? 0 : skip - 1] ?? [], count: 5 })
    expect(await collectRows(pagesByOffset(load)(never))).toEqual({ rows: [1, 2, 3], isCut: false })
  })

  it('has at most the number of rows that the menu states', async () => {
    const load = async ({ skip }: { skip: number }) => ({
      items: Array.from({ length: 1_000 }, (_, at) => skip + at),
      count: 1_000_000,
    })
    const { rows, isCut } = await collectRows(pagesByOffset(load)(never))
    expect([rows.length, isCut]).toEqual([mostExported, true])
  })
})
