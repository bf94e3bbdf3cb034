import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TemplateOutputFormat } from '../../src/mail/template/expressions.js'
import { compileTemplate, templateProgramParts } from '../../src/mail/template/program.js'
import { parsedTemplate, templateProblems } from '../../src/mail/template/syntax.js'
import { handlebarsRenders } from './oracle/handlebars-reference.js'
import { context, template } from './oracle/random-templates.js'

describe('an interpreted template', () => {
  it('renders the same as Handlebars', () => {
    let compared = 0
    fc.assert(
      fc.property(
        template,
        context,
        fc.constantFrom<TemplateOutputFormat>('html', 'text'),
        (source, values, format) => {
          fc.pre(templateProblems('document', source).length === 0)
          let wanted: string
          try {
            wanted = handlebarsRenders(source, format, values)
          } catch {
            return
          }
          compared += 1
          expect(compileTemplate(source, format)(values)).toBe(wanted)
        },
      ),
      {
        numRuns: 3_000,
        examples: [
          ['{{#with 1}}{{#with true}}.{{../../b}}{{/with}}{{/with}}', { b: 0, list: [] }, 'html'],
          ['{{#each a}}{{#each "t<&>"}}{{~else~}}.{{.}}{{/each}}{{/each}}', { a: [null], list: [] }, 'html'],
        ],
      },
    )
    expect(compared).toBeGreaterThan(1_000)
  })
})

describe('comments', () => {
  it.each<TemplateOutputFormat>(['html', 'text', 'tracked'])('join the texts around them, as %s', (format) => {
    const { program } = parsedTemplate('a{{! one }}b{{!-- two --}}c{{d}}{{!}}e{{! three }}f')
    const parts = program ? templateProgramParts(program, format) : []
    expect(parts.map((part) => (typeof part === 'string' ? part : '…'))).toEqual(['abc', '…', 'ef'])
  })
})

const rendered = (source: string, values: Record<string, unknown>, format: TemplateOutputFormat = 'text') =>
  compileTemplate(source, format)(values)

describe('a feed element with text and attributes', () => {
  const title = { type: 'html', '#text': 'Tea & <b>' }

  it.each<[string, string]>([
    ['{{title}}|{{title.type}}', 'Tea & <b>|html'],
    ['{{#each list}}{{this}} {{this.type}} {{/each}}', 'Tea & <b> html '],
    ['{{TRUNCATE title 3}}|{{CAPITALIZE title}}', 'Tea...|TEA & <B>'],
    ['{{#if (EQ title "Tea & <b>")}}same{{/if}}', 'same'],
    ['{{#if (INCLUDES title "Tea")}}has{{/if}}', 'has'],
    ['{{DEFAULT empty "none"}}|{{#if empty}}yes{{else}}no{{/if}}', 'none|no'],
    ['{{lookup title "type"}}', 'html'],
    ['{{#with title}}{{type}}{{/with}}', 'html'],
    ['{{other}}', '[object Object]'],
  ])('prints its text: %s', (source, expected) => {
    const values = { title, list: [title], empty: { type: 'text', '#text': '' }, other: { '#text': {} } }
    expect(rendered(source, values)).toBe(expected)
  })

  it('is escaped like any text', () => {
    expect(rendered('{{title}}', { title }, 'html')).toBe('Tea &amp; &lt;b&gt;')
  })
})

describe('design variables', () => {
  const design = { colors: { primary: 'red' } }

  it.each<[string, string]>([
    ['{{design.colors.primary}}', 'red'],
    ['{{#each items}}{{name}} {{design.colors.primary}} {{/each}}', 'a red b red '],
    ['{{#with deep}}{{#with deeper}}{{design.colors.primary}}{{/with}}{{/with}}', 'red'],
    ['{{#each texts}}{{design.colors.primary}}{{/each}}', 'red'],
    ['{{#each items}}{{lookup design.colors "primary"}}{{/each}}', 'redred'],
    ['{{#with own}}{{design}}{{/with}}', 'striped'],
    ['{{#each items}}{{this.design.colors.primary}}{{./design.colors.primary}}{{/each}}', ''],
    ['{{#each items as |design|}}{{design.name}}{{/each}}', 'ab'],
  ])('have the same values in loops and with as outside: %s', (source, expected) => {
    const items = [{ name: 'a' }, { name: 'b' }]
    const values = { design, items, texts: ['x'], deep: { deeper: { x: 1 } }, own: { design: 'striped' } }
    expect(rendered(source, values)).toBe(expected)
  })
})
