import { describe, expect, it } from 'vitest'
import { detectEncoding } from '../../../src/contacts/csv/csv-encoding.js'
import { csvRows } from '../../../src/contacts/csv/csv-rows.js'

/** In pieces, as a file is read. */
const fileOf = (content: string | Buffer) =>
  async function* () {
    const bytes = Buffer.from(content)
    for (let from = 0; from < bytes.length; from += 65_536) yield bytes.subarray(from, from + 65_536)
  }

const read = async (content: string | Buffer, encoding?: string) => {
  const file = fileOf(content)
  const [rows, broken]: [{ line: number; values: object }[], { line: number; error: string }[]] = [[], []]
  const used = encoding ?? (await detectEncoding(file)).encoding
  const columns = (headings: readonly string[]) => headings
  for await (const some of csvRows(file(), { encoding: used, columns, broken: (one) => broken.push(one) }))
    rows.push(...some)
  return { rows, broken }
}

const ada = { email: 'ada@example.com', name: 'Ada Löwe' }
const csv = 'email,name\r\nada@example.com,Ada Löwe\r\n'

describe('a CSV file', () => {
  it.each([
    ['UTF-8', Buffer.from(csv)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${csv}`)],
    ['UTF-16, little-endian', Buffer.from(`\ufeff${csv}`, 'utf16le')],
    ['UTF-16, big-endian', Buffer.from(`\ufeff${csv}`, 'utf16le').swap16()],
    ['UTF-16 without a byte order mark', Buffer.from(csv, 'utf16le')],
    ['Windows-1252', Buffer.from(csv, 'latin1')],
  ])('is recognised and read as %s', async (_, content) => {
    const cells = Object.values(ada)
    expect(await read(content)).toEqual({ rows: [{ line: 2, cells, values: ada }], broken: [] })
  })

  it('is read in the given encoding', async () => {
    expect(
      (await read(Buffer.from([...Buffer.from('email,name\nx@example.com,'), 0xe4]), 'iso-8859-5')).rows[0]?.values,
    ).toMatchObject({ name: 'ф' })
  })

  it('is read as Windows-1252 if its very last letter is', async () => {
    const plain = 'email,name\n'.padEnd(200_000, 'a@example.com,A\n')
    const { rows } = await read(
      Buffer.concat([Buffer.from(`${plain}\n`), Buffer.from('z@example.com,Zoë\n', 'latin1')]),
    )
    expect(rows.at(-1)?.values).toEqual({ email: 'z@example.com', name: 'Zoë' })
  })

  it.each([
    ['tabs', 'email\tname\na@example.com\tA, B; C\n'],
    ['lines that end as on an old Macintosh', 'email,name\ra@example.com,"A, B; C"\r'],
  ])('may have %s', async (_, content) => {
    expect((await read(content)).rows.map(({ values }) => values)).toEqual([
      { email: 'a@example.com', name: 'A, B; C' },
    ])
  })

  it('has correct line numbers wherever a chunk ends', async () => {
    for (let length = 65_500; length < 65_560; length += 1) {
      const { rows } = await read(`email\r\n${'x'.repeat(length)}\r\nlast\r\n`)
      expect(rows.map(({ line }) => line)).toEqual([2, 3])
    }
  })

  it('may have semicolons, quoted separators and line breaks, and blank lines', async () => {
    const { rows } = await read('email;name\n\n"a@example.com";"A; B ""and"" C"\nb@example.com;"two\nlines"\n')
    expect(rows.map(({ values }) => values)).toEqual([
      { email: 'a@example.com', name: 'A; B "and" C' },
      { email: 'b@example.com', name: 'two\nlines' },
    ])
  })

  it('loses only its invalid rows, which are reported by line', async () => {
    const { rows, broken } = await read(
      'email,name\na@example.com,A\nb@example.com\nc@example.com,C,too,many\n"d@example.com"x,D\ne@example.com,E\n',
    )
    expect(rows.map(({ values }) => (values as { email: string }).email)).toEqual(['a@example.com', 'e@example.com'])
    expect(broken.map(({ line }) => line)).toEqual([3, 4, 5])
  })

  it('does not lose the rest to an unclosed quote', async () => {
    const { rows, broken } = await read(
      'email,name\na@example.com,"A\nb@example.com,B\nc@example.com,"C"\nd@example.com,D\n',
    )
    expect(rows.map(({ values }) => (values as { email: string }).email)).toContain('d@example.com')
    expect(broken[0]).toMatchObject({ line: 2 })
  })

  it('with many thousand rows is read in order, with characters split across chunks', async () => {
    const n = 20_000
    const { rows } = await read(
      `email,name\n${Array.from({ length: n }, (_, i) => `p${i}@example.com,Ünï ${i}`).join('\n')}`,
    )
    expect(rows).toHaveLength(n)
    expect(rows.every(({ values }, i) => (values as { name: string }).name === `Ünï ${i}`)).toBe(true)
  })
})

describe('a hostile file', () => {
  const mebi = 1_048_576

  it('loses only the line that is too long', async () => {
    const { rows, broken } = await read(`email,name\na@example.com,${'x'.repeat(3 * mebi)}\r\nb@example.com,B\n`)
    expect(rows).toMatchObject([{ line: 3, values: { email: 'b@example.com', name: 'B' } }])
    expect(broken).toEqual([
      {
        line: 2,
        error: 'The row has more than 1048576 characters.',
        cells: [expect.stringMatching(/^a@example.com,x{986}$/)],
      },
    ])
  })

  it('loses a long last line without a line end', async () => {
    const { rows, broken } = await read(`email\na@example.com\n${'x'.repeat(2 * mebi)}`)
    expect([rows.length, broken.map(({ line }) => line)]).toEqual([1, [3]])
  })

  it('is read past an unclosed quote followed by long lines', async () => {
    const long = Array.from({ length: 9 }, () => 'y'.repeat(mebi / 4)).join('\n')
    const { rows, broken } = await read(
      `email,name\na@example.com,"A\n${'x'.repeat(2 * mebi)}\nb@example.com,"B\n${long}\nc@example.com,C\n`,
    )
    expect(rows).toMatchObject([{ line: 14, values: { email: 'c@example.com' } }])
    expect(broken.map(({ line }) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13])
  })

  it.each([
    ['a line without an end', 'email,'.repeat(400_000), 'more than 1048576 characters'],
    ['an open quote', 'email,"name\n', 'The quotes of the row do not match.'],
    ['a hundred thousand columns', `email${','.repeat(99_999)}\n`, 'The first line has 100000 columns'],
  ])('is rejected if its first line is %s', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message)
  })

  it('reports where mostly valid UTF-8 is damaged', async () => {
    const parts = [Buffer.from('email,name\na@example.com,Zoë\nb@example.com,Jürgen M'), Buffer.from([0xfc])]
    expect(await detectEncoding(fileOf(Buffer.concat(parts)))).toMatchObject({ damage: { places: 1, firstLine: 3 } })
    expect(await detectEncoding(fileOf(Buffer.from('email,name\na@example.com,Zoë\n', 'latin1')))).toEqual({
      encoding: 'windows-1252',
    })
  })
})
