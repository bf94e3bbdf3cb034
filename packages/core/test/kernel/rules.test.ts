import { partlyValidInput } from '@posthorn/core/ports/transport'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type InputRule, parsedBy, schemaViolationsOf } from '../../src/kernel/parsed.js'
import { nestedViolation, unexpectedViolation, wrongFieldViolation } from '../../src/kernel/violation.js'

const Shelf = z.strictObject({
  label: z.string().min(1).default('shelf'),
  books: z.array(z.strictObject({ title: z.string(), pages: z.int().min(1) })).optional(),
})
type Shelf = z.output<typeof Shelf>

const noThinBooks: InputRule<Shelf> = ({ books = [] }) =>
  books.flatMap((book, index) =>
    book?.pages !== undefined && book.pages < 10 ? [wrongFieldViolation(`books[${index}]`, 'is too thin')] : [],
  )
const reserved: InputRule<Shelf> = async ({ label }) =>
  label === 'x' ? [wrongFieldViolation('label', 'x is reserved')] : []

const sentences = async (input: unknown, ...rules: readonly InputRule<Shelf>[]) =>
  (await schemaViolationsOf(Shelf, input, ...rules)).map(({ sentence }) => sentence)

describe('an input with rules', () => {
  it('reports violations of schema and rules together', async () => {
    const input = {
      label: 'x',
      books: [
        { title: 'A', pages: 9 },
        { title: 1, pages: 300 },
      ],
      colour: 'red',
    }
    const all = [
      'books[1].title: expected a text, got 1',
      'Unexpected field: colour',
      'books[0]: is too thin',
      'label: x is reserved',
    ]
    expect(await sentences(input, noThinBooks, reserved)).toEqual(all)
    await expect(parsedBy(Shelf, input, noThinBooks, reserved)).rejects.toThrow(all.join('; '))
  })

  it('reports a value once if it is wrong in two ways', async () => {
    expect(await sentences({ books: [{ title: 1, pages: 9 }] }, noThinBooks)).toEqual([
      'books[0].title: expected a text, got 1',
    ])
    expect(await sentences({ label: '' }, () => [wrongFieldViolation('label', 'is dull')])).toEqual([
      'label: must not be empty',
    ])
    expect(await sentences({ label: 'x' }, reserved, reserved)).toEqual(['label: x is reserved'])
    const inside: InputRule<Shelf> = () => [wrongFieldViolation('books[0].title', 'is unknown')]
    expect(await sentences({ books: 'none' }, inside)).toEqual(['books: expected a list, got a text'])
  })

  it('applies rules to values that only have unexpected fields', async () => {
    const books = [{ title: 'A', pages: 9, colour: 'red' }]
    expect(await sentences({ books }, noThinBooks)).toEqual([
      'Unexpected field: books[0].colour',
      'books[0]: is too thin',
    ])
  })

  it('is returned with its defaults if all of it is valid', async () => {
    expect(await parsedBy(Shelf, {}, noThinBooks, reserved)).toEqual({ label: 'shelf' })
  })

  it('that no store could keep is not passed to the rules', async () => {
    const never: InputRule<Shelf> = () => {
      throw new Error('asked')
    }
    await expect(parsedBy(Shelf, { label: 'a\0' }, never)).rejects.toMatchObject({ kind: 'invalid' })
    await expect(parsedBy(Shelf, 'shelf', never)).rejects.toThrow('expected an object, got a text')
  })
})

it('keeps each valid field and entry of an input', () => {
  expect(
    partlyValidInput(Shelf, { label: 7, books: [{ title: 'A', pages: 0 }, 'B', { title: 'C', pages: 1 }] }),
  ).toEqual({
    label: undefined,
    books: [{ title: 'A', pages: undefined }, undefined, { title: 'C', pages: 1 }],
  })
  expect(partlyValidInput(Shelf, 7)).toBeUndefined()
})

it('names the whole path of a violation inside a field', () => {
  expect(nestedViolation('filter[segment]', wrongFieldViolation('groups', 'is empty')).sentence).toBe(
    'filter[segment].groups: is empty',
  )
  expect(nestedViolation('segment', unexpectedViolation('x')).sentence).toBe('Unexpected field: segment.x')
  expect(nestedViolation('segment', wrongFieldViolation('', 'is no JSON')).sentence).toBe('segment: is no JSON')
})
