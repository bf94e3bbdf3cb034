import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { temporaryDirectory } from '../../../tests/server-process.js'
import { importJournal } from '../src/cli/import-journal.js'

const directory = temporaryDirectory()
afterAll(() => directory.remove())

let [file, files] = ['', 0]
beforeEach(() => {
  files += 1
  file = join(directory.path, `${files}.csv`)
})
const journal = (of = 'this one', restart = false) => {
  const { failed, ...one } = importJournal(file, of, { restart, headings: ['email'], delimiter: ',' })
  return {
    ...one,
    failed: ({ line, error }: { line: number; error: string }) => failed({ line, error, cells: [`row ${line}`] }),
  }
}
const errors = () => readFileSync(`${file}.errors.csv`, 'utf8')

describe('the journal of an import', () => {
  it('leaves no files if every row was imported', () => {
    const one = journal()
    one.done(500)
    expect(one.end()).toBeUndefined()
    expect(existsSync(`${file}.import.json`)).toBe(false)
  })

  it('lists rejected rows by line, in whatever order they were found', () => {
    const one = journal()
    one.failed({ line: 9, error: 'no row' })
    one.failed({ line: 4, error: 'no address' })
    one.done(5)
    expect(errors()).toBe('line,error,email\n4,no address,row 4\n')
    expect(one.end()).toBe(`${file}.errors.csv`)
    expect(errors()).toBe('line,error,email\n4,no address,row 4\n9,no row,row 9\n')
  })

  it('stops an import with almost only rejected rows before memory is full, and writes all of them', () => {
    const one = importJournal(file, 'this one', { restart: false, headings: ['email'], delimiter: ',' })
    const failed = (line: number) => one.failed({ line, error: 'no address', cells: ['x'.repeat(1_000_000)] })
    for (let line = 2; line < 18; line += 1) failed(line)
    expect(one.isFull()).toBe(true)
    expect(() => failed(18)).toThrow(
      `Hardly any row up to line 18 can be taken, so the import ends. Is it a table of contacts, in this encoding? All are in ${file}.errors.csv; the first is line 2 (no address).`,
    )
    expect(errors().split('\n')).toHaveLength(19)
  })

  it('writes each reason on one line, and none as a formula', () => {
    const one = journal()
    one.failed({ line: 2, error: '=HYPERLINK("x")' })
    one.failed({ line: 3, error: 'two\nlines' })
    one.end()
    expect(errors()).toBe('line,error,email\n2,"\'=HYPERLINK(""x"")",row 2\n3,two lines,row 3\n')
  })

  it('keeps the file’s headings, cells and delimiter, and no formulas', () => {
    const headings = ['email', 'Note; or =so']
    const one = importJournal(file, 'this one', { restart: false, headings, delimiter: ';' })
    one.failed({ line: 2, error: 'no address', cells: ['=1+1', 'two\nlines, "quoted"', 'a cell too many'] })
    one.end()
    expect(errors()).toBe(
      'line;error;email;"Note; or =so"\n2;no address;\'=1+1;"two\nlines, ""quoted""";a cell too many\n',
    )
  })

  it('continues an interrupted import, and meets its remaining rows again', () => {
    const first = journal()
    first.counts.created += 3
    first.failed({ line: 5, error: 'done with' })
    first.failed({ line: 8, error: 'beyond' })
    first.done(6)
    first.failed({ line: 7, error: 'beyond, too' })
    const second = journal()
    expect(second).toMatchObject({ from: 6, counts: { created: 3, updated: 0, unchanged: 0, failed: 1 } })
    second.failed({ line: 5, error: 'again' })
    second.failed({ line: 7, error: 'again' })
    second.end()
    expect(errors()).toBe('line,error,email\n5,done with,row 5\n7,again,row 7\n')
  })

  it('drops rejected rows listed after the last finished line', () => {
    const first = journal()
    first.failed({ line: 2, error: 'two' })
    first.done(2)
    writeFileSync(`${file}.errors.csv`, `${errors()}3,"listed, but not noted as done","4,a cell of two\n5,lines"\n`)
    journal().end()
    expect(errors()).toBe('line,error,email\n2,two,row 2\n')
  })

  it.each([
    ['another file, or to another place', () => journal('another')],
    ['what is to begin again', () => journal('this one', true)],
  ])('starts over for %s', (_, again) => {
    const first = journal()
    first.failed({ line: 2, error: 'two' })
    first.done(2)
    expect(again()).toMatchObject({ from: 0, counts: { failed: 0 } })
    expect(existsSync(`${file}.errors.csv`)).toBe(false)
  })

  it.each(['', '{', '[]', '{"of":"this one","line":"2"}'])('starts over if its state is invalid: %s', (state) => {
    writeFileSync(`${file}.import.json`, state)
    expect(journal().from).toBe(0)
  })
})
