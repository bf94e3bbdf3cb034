import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvRow, escapedFormulas, unescapedFormulas } from '../../src/kernel/csv-cells.js'

const signs = fc.constantFrom("'", '"', '=', '-', '@', ',', ';', '\t', '\n', 'a')

describe('a CSV cell', () => {
  it.each(['=1+1', '+43 660', '-x', '@SUM(A1)', '\tx', '\rx', "'=1", "''@x", '＝1+1', '＠x'])(
    'that begins like a formula gets an apostrophe: %j',
    (text) => {
      expect(escapedFormulas(text)).toBe(`'${text}`)
    },
  )

  it.each([
    ['a;=1+1;b', "a;'=1+1;b"],
    ["Ada\n=HYPERLINK('x')", "Ada\n'=HYPERLINK('x')"],
    ['a,+1', "a,'+1"],
    ['a\t-1', "a\t'-1"],
    ['a;"=1+1;b', `a;'"=1+1;b`],
    [`a;'"'=1`, `a;''"'=1`],
  ])('is escaped after a delimiter of another spreadsheet: %j', (text, expected) => {
    expect(escapedFormulas(text)).toBe(expected)
    expect(unescapedFormulas(expected)).toBe(text)
  })

  it.each(['', 'a=1', 'ada@example.com', "'quoted'", "it's", ' =1'])(
    'of any other kind stays unchanged: %j',
    (text) => {
      expect(escapedFormulas(text)).toBe(text)
      expect(unescapedFormulas(text)).toBe(text)
    },
  )

  it('is restored by unescaping', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: signs }))
    fc.assert(
      fc.property(text, (one) => {
        expect(unescapedFormulas(escapedFormulas(one))).toBe(one)
      }),
    )
  })

  it('begins no formula for a spreadsheet that separates by another sign, whatever it does with quotes', () => {
    const cells = fc.array(fc.string({ unit: signs }), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(cells, fc.constantFrom(',', ';', '\t'), (texts, separator) => {
        const read = csvRow(texts.map(escapedFormulas)).trimEnd().split(separator)
        for (const one of read) expect(one.replace(/^"+/, '')).not.toMatch(/^[=+\-@]/)
      }),
    )
  })

  it('is quoted if it has a line break, quote, delimiter or surrounding blanks', () => {
    expect(csvRow(['a b', 'x,y', 'x;y', '"', 'two\nlines', ' x'])).toBe('a b,"x,y","x;y","""","two\nlines"," x"\n')
  })
})
