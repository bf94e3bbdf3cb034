import fc from 'fast-check'
import Handlebars from 'handlebars'
import { describe, expect, it } from 'vitest'
import { RenderFailure } from '../../src/mail/template/budget.js'
import { compileTemplate } from '../../src/mail/template/program.js'
import { templateComplexity, templateLimits, templateProblems, usesVariable } from '../../src/mail/template/syntax.js'

type Node = { readonly type?: unknown } & Readonly<Record<string, unknown>>

/** What the parser made of a template, counted by walking all of it. */
const treeSize = (node: unknown, depth = 0): { tags: number; nodes: number; nesting: number } => {
  if (typeof node !== 'object' || node === null) return { tags: 0, nodes: 0, nesting: 0 }
  const { type, loc: _loc, ...rest } = node as Node
  const blocks = depth + (type === 'BlockStatement' || type === 'PartialBlockStatement' ? 1 : 0)
  const below = Object.values(rest).map((part) => treeSize(part, blocks))
  const isTag = typeof type === 'string' && type.endsWith('Statement') && type !== 'ContentStatement'
  const isPart = isTag || (typeof type === 'string' && (type.endsWith('Literal') || type.endsWith('Expression')))
  return {
    tags: below.reduce((sum, one) => sum + one.tags, isTag ? 1 : 0),
    nodes: below.reduce((sum, one) => sum + one.nodes, isPart ? 1 : 0),
    nesting: Math.max(blocks, ...below.map((one) => one.nesting)),
  }
}

const piece = fc.constantFrom(
  ...[
    '{{a}}',
    '{{{a}}}',
    '{{&a}}',
    '{{~a~}}',
    '{{a.b.[c d]}}',
    '{{f a "x" k=1}}',
    '{{f (g (h a))}}',
    '{{> p}}',
    '{{* d}}',
  ],
  ...[
    '{{#if a}}',
    '{{/if}}',
    '{{#if a}}x{{/if}}',
    '{{^if a}}',
    '{{else}}',
    '{{else if b}}',
    '{{^}}',
    '{{#> p}}',
    '{{/p}}',
  ],
  ...[
    '{{!-- {{/if}} --}}',
    '{{! {{a}}',
    '{{!--',
    '--}}',
    '\\{{#if a}}',
    '\\\\{{a}}',
    '\\',
    '{{{{if a}}}}',
    '{{{{/if}}}}',
  ],
  ...[
    '{{{{raw}}}} {{/if}} {{{{/raw}}}}',
    '{',
    '}}',
    '"',
    "'",
    '[',
    '(',
    'text',
    '\n',
    '{{"{{#if a}}"}}',
    '{{',
    '{{#each a as |x y|}}',
    '{{/each}}',
  ],
)

describe('a template’s size', () => {
  it('is never less than what the parser builds', () => {
    let parsed = 0
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((all) => all.join('')),
        (source) => {
          let tree: ReturnType<typeof treeSize>
          try {
            tree = treeSize(Handlebars.parse(source))
          } catch {
            return
          }
          parsed += 1
          const size = templateComplexity(source)
          expect(size.tags).toBeGreaterThanOrEqual(tree.tags)
          expect(size.tokens).toBeGreaterThanOrEqual(tree.nodes)
          expect(size.nesting).toBeGreaterThanOrEqual(tree.nesting)
        },
      ),
      { numRuns: 5_000 },
    )
    expect(parsed).toBeGreaterThan(500)
  })

  const { tags, nesting, length, lines, token } = templateLimits
  it.each([
    ['nested blocks', '{{#if a}}'.repeat(9_000), `nested more than ${nesting} levels deep`],
    ['blocks whose ends stand in comments', '{{#if a}}{{!-- {{/if}} --}}'.repeat(100), 'nested more than'],
    ['else if in else if', `{{#if a}}${'{{else if b}}'.repeat(9_000)}{{/if}}`, 'nested more than'],
    ['nested brackets', `{{AND ${'(AND '.repeat(50_000)}`, 'nested more than'],
    ['tags', '{{a}}'.repeat(150_000), 'the template has more than 2,000 tags'],
    ['comments', '{{!a}}'.repeat(150_000), 'the template has more than 2,000 tags'],
    [
      'a long path',
      `{{${'a.'.repeat(300_000)}a}}`,
      'the tags have more than 8,000 names, values and punctuation marks',
    ],
    ['arguments', `{{AND ${'a '.repeat(300_000)}}}`, 'the tags have more than 8,000'],
    ['a huge literal', `{{AND "${'x'.repeat(token + 1)}"}}`, 'a name or value is longer than 10,000 characters'],
    ['characters', 'x'.repeat(length + 1), 'the template has more than 1,000,000 characters'],
    ['lines', '\n'.repeat(lines + 1), 'the template has more than 50,000 lines'],
  ])('is checked before parsing: %s', (_, source, reason) => {
    const violations = templateProblems('document', `${source}{{b}}`)
    expect(violations).toHaveLength(1)
    expect(violations[0]).toContain(reason)
    expect(() => compileTemplate(`${source}{{b}}`, 'html')).toThrow(RenderFailure)
    expect(usesVariable(`${source}{{b}}`, 'b')).toBe(false)
  })

  it('allows a long newsletter', () => {
    const row =
      '<tr><td style="padding:10px">{{#if city}}{{contact.name}}{{else}}{{DEFAULT name "you"}}{{/if}}</td></tr>\n'
    expect(templateProblems('document', row.repeat(tags / 5))).toEqual([])
    const nested = Array.from({ length: nesting }, (_, n) => n)
    expect(
      templateProblems(
        'document',
        nested.reduce((inside) => `{{#if a}}${inside}{{/if}}`, 'x'),
      ),
    ).toEqual([])
  })

  it('reports where it exceeds the limit', () => {
    expect(templateProblems('document', `\n${'{{#if a}}'.repeat(51)}`)).toEqual([
      'document: line 2, column 454: nested more than 50 levels deep',
    ])
  })
})
