import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mailboxHeader, textHeader } from '../../src/mail/mime.js'
import { chargedRenderWork, RenderFailure, renderWorkBudget } from '../../src/mail/template/budget.js'
import { includesInLinearTime } from '../../src/mail/template/helpers.js'
import { compileTemplate } from '../../src/mail/template/program.js'

const turns = Array.from({ length: 100_000 }, (_, n) => n)
const long = 'x'.repeat(1_000_000)

describe('the work of one rendering', () => {
  it.each([
    ['TRUNCATE to a long text', '{{#each a}}{{TRUNCATE ../s 999999}}{{/each}}', { s: long }],
    ['INCLUDES of a text', '{{#each a}}{{INCLUDES ../s ../t}}{{/each}}', { s: long, t: `${'x'.repeat(60_000)}y` }],
    ['INCLUDES of an array', '{{#each a}}{{INCLUDES ../a -1}}{{/each}}', {}],
    ['CAPITALIZE', '{{#each a}}{{#if (CAPITALIZE ../s)}}{{/if}}{{/each}}', { s: long }],
    ['EQ of long texts', '{{#each a}}{{#if (EQ ../s ../t)}}{{/if}}{{/each}}', { s: long, t: `${long.slice(1)}y` }],
    ['lookup by a long key', '{{#each a}}{{lookup ../o ../s}}{{/each}}', { s: long, o: { b: 1 } }],
    ['an array that is printed', '{{#each a}}{{#if (lookup ../o "b")}}{{/if}}{{../a}}{{/each}}', { o: {} }],
    [
      'the keys of an object',
      '{{#each a}}{{#each ../o limit=0}}{{/each}}{{/each}}',
      { o: Object.fromEntries(turns.slice(0, 5_000).map((n) => [`k${n}`, n])) },
    ],
    ['escaping', '{{#each a}}{{../s}}{{/each}}', { s: '<'.repeat(5_000) }],
    ['tags', `{{#each a}}${'{{b}}'.repeat(500)}{{/each}}`, {}],
    ['blocks', `{{#each a}}${'{{#with @root}}{{/with}}'.repeat(500)}{{/each}}`, {}],
    ['long paths', `{{#each a}}{{@root${'.a'.repeat(1_000)}}}{{/each}}`, {}],
    ['printed texts', '{{#each a}}{{{../s}}}{{/each}}', { s: long }],
  ])('stops at its budget: %s', (_, source, context) => {
    const render = compileTemplate(source, 'html')
    const before = chargedRenderWork()
    expect(() => render({ a: turns, ...context })).toThrow(RenderFailure)
    // What one step touches is charged before it is touched: no more than the budget and one refused charge.
    expect(chargedRenderWork() - before).toBeLessThan(renderWorkBudget + 10_000_000)
  })

  it('is charged only for what is read', () => {
    const before = chargedRenderWork()
    expect(compileTemplate('{{TRUNCATE s 1}}', 'text')({ s: long })).toBe('x...')
    expect(chargedRenderWork() - before).toBeLessThan(200)
  })

  it('allows 100,000 loop iterations', () => {
    expect(compileTemplate('{{#each a}}{{.}}{{/each}}', 'html')({ a: turns })).toHaveLength(488_890)
  })

  it('is limited to 5 MB of output in bytes', () => {
    const render = compileTemplate('{{{s}}}', 'html')
    expect(render({ s: 'x'.repeat(5_000_000) })).toHaveLength(5_000_000)
    expect(() => render({ s: '語'.repeat(1_800_000) })).toThrow('larger than 5 MB')
  })

  it('turns any other error into a failure of that mail', () => {
    let deep: unknown = []
    for (let n = 0; n < 100_000; n += 1) deep = [deep]
    expect(() => compileTemplate('{{deep}}', 'html')({ deep })).toThrow(RenderFailure)
  })

  it('reports failures briefly, however long the template’s names are', () => {
    const [message = ''] = [`{{${'x'.repeat(9_000)} a}}`].map((source) => {
      try {
        return compileTemplate(source, 'html')({})
      } catch (error) {
        return String(error)
      }
    })
    expect(message).toMatch(/^RenderFailure: .*unknown helper x+…$/)
    expect(message.length).toBeLessThan(320)
  })
})

describe('a text search', () => {
  it('finds what String.includes finds', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 80 })
    const both = fc.oneof(
      fc.tuple(letters, letters),
      fc
        .tuple(letters, fc.nat(60), fc.integer({ min: 17, max: 40 }))
        .map(([text, from, length]) => [text, text.slice(from, from + length)] as const),
    )
    fc.assert(
      fc.property(both, ([text, what]) => {
        expect(includesInLinearTime(text, what)).toBe(text.includes(what))
      }),
    )
  })
})

describe('a header', () => {
  it('has a length limit', () => {
    expect(() => textHeader('Subject', 'é'.repeat(10_001))).toThrow('The Subject is longer than 10000 characters.')
    expect(() => mailboxHeader('To', { name: 'x'.repeat(10_001), email: 'a@example.com' })).toThrow(RenderFailure)
  })
})
