import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { importJournal } from '../src/cli/import-journal.js'
import { temporaryDirectory } from './running-server.js'

const directory = temporaryDirectory()
afterAll(() => directory.remove())

let [file, files] = ['', 0]
beforeEach(() => {
  files += 1
  file = join(directory.path, `${files}.csv`)
})
const journal = (of = 'this one', restart = false) => importJournal(file, of, { restart })
const errors = () => readFileSync(`${file}.errors.csv`, 'utf8')

describe('the journal of an import', () => {
  it('leaves nothing behind where every row was taken', () => {
    const one = journal()
    one.done(500)
    expect(one.end()).toBeUndefined()
    expect(existsSync(`${file}.import.json`)).toBe(false)
  })

  it('lists the rows that were not taken by line, whenever they became known', () => {
    const one = journal()
    one.failed({ line: 9, error: 'no row' })
    one.failed({ line: 4, error: 'no address' })
    one.done(5)
    expect(errors()).toBe('line,error\n4,"no address"\n')
    expect(one.end()).toBe(`${file}.errors.csv`)
    expect(errors()).toBe('line,error\n4,"no address"\n9,"no row"\n')
  })

  it('lists reasons in a line each, and none as a formula', () => {
    const one = journal()
    one.failed({ line: 2, error: '=HYPERLINK("x")' })
    one.failed({ line: 3, error: 'two\nlines' })
    one.end()
    expect(errors()).toBe('line,error\n2,"\'=HYPERLINK(""x"")"\n3,"two lines"\n')
  })

  it('goes on with what an import that broke off had done, and meets the rest again', () => {
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
    expect(errors()).toBe('line,error\n5,"done with"\n7,"again"\n')
  })

  it('forgets the rows that were listed beyond the last line that is done', () => {
    const first = journal()
    first.failed({ line: 2, error: 'two' })
    first.done(2)
    writeFileSync(`${file}.errors.csv`, `${errors()}3,"listed, but not noted as done"\n`)
    journal().end()
    expect(errors()).toBe('line,error\n2,"two"\n')
  })

  it.each([
    ['another file, or to another place', () => journal('another')],
    ['what is to begin again', () => journal('this one', true)],
  ])('begins anew for %s', (_, again) => {
    const first = journal()
    first.failed({ line: 2, error: 'two' })
    first.done(2)
    expect(again()).toMatchObject({ from: 0, counts: { failed: 0 } })
    expect(existsSync(`${file}.errors.csv`)).toBe(false)
  })

  it.each(['', '{', '[]', '{"of":"this one","line":"2"}'])(
    'begins anew where its state makes no sense: %s',
    (state) => {
      writeFileSync(`${file}.import.json`, state)
      expect(journal().from).toBe(0)
    },
  )
})
