import { checkTemplate, compileTemplate, type TemplateFormat } from '@posthorn/core'
import fc from 'fast-check'
import Handlebars from 'handlebars'
import { describe, expect, it } from 'vitest'
import { budget } from '../../src/emails/template-budget.js'
import { callable, inlineHelpers } from '../../src/emails/template-helpers.js'

/** Handlebars itself, with the language's helpers: the meaning of everything else is its own. */
const reference = Handlebars.create()
for (const [name, help] of Object.entries(inlineHelpers))
  reference.registerHelper(name, (...args: unknown[]) => help(budget(), args.slice(0, -1)))
/** `each` as Handlebars' own is written, with `skip` and `limit`. */
reference.registerHelper('each', function (this: unknown, items: unknown, options: Handlebars.HelperOptions) {
  const { skip = 0, limit } = options.hash as { skip?: string | number; limit?: number }
  const all = typeof items === 'object' && items !== null ? Object.entries(items) : []
  const entries = all.slice(Number(skip), limit === undefined ? undefined : Number(skip) + limit)
  if (entries.length === 0) return options.inverse(this)
  return entries
    .map(([name, item], index) => {
      const key = Array.isArray(items) ? Number(name) : name
      const data = reference.createFrame(options.data)
      Object.assign(data, { key, index, first: index === 0, last: index === entries.length - 1 })
      return options.fn(item, { data, blockParams: [item, key] })
    })
    .join('')
})

const expected = (source: string, format: TemplateFormat, context: Record<string, unknown>) =>
  reference.compile(source, {
    noEscape: format === 'text',
    knownHelpersOnly: true,
    knownHelpers: Object.fromEntries(Object.keys(callable).map((name) => [name, true])),
  })(context, { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false })

const path = fc.constantFrom(
  ...['a', 'b', 'a.b', 'this', '.', '..', '../a', '../../b', 'this.a', './b', '@root.a', '@index', '@key', '@first'],
  ...[
    '@../index',
    '@root.list.0',
    'list',
    'list.[1]',
    'rows',
    'x',
    'x.a',
    'y',
    '[with space]',
    'text.length',
    'constructor',
  ],
)
const literal = fc.constantFrom('"t<&>"', "'s'", '0', '1', '-2', 'true', 'false', 'null', 'undefined')
const { expression } = fc.letrec<{ expression: string; call: string }>((tie) => ({
  expression: fc.oneof({ depthSize: 'small' }, path, literal, tie('call')),
  call: fc.oneof(
    fc
      .tuple(fc.constantFrom('EQ', 'INCLUDES', 'TRUNCATE', 'DEFAULT', 'lookup'), tie('expression'), tie('expression'))
      .map(([name, one, other]) => `(${name} ${one} ${other})`),
    fc.tuple(fc.constantFrom('NOT', 'CAPITALIZE'), tie('expression')).map(([name, one]) => `(${name} ${one})`),
    fc
      .tuple(fc.constantFrom('AND', 'OR'), fc.array(tie('expression'), { minLength: 1, maxLength: 3 }))
      .map(([name, all]) => `(${name} ${all.join(' ')})`),
  ),
}))
const text = fc.constantFrom(
  'text',
  ' ',
  '\n',
  '  \n  ',
  '\\{{a}} ',
  '<b>',
  '{',
  '{{!c}}',
  '{{!-- {{a}} --}}',
  'é',
  '\\\\',
)
const tag = fc.tuple(fc.constantFrom('{{', '{{~', '{{{'), fc.oneof(path, expression)).map(([open, inner]) => {
  const called = inner.startsWith('(') ? inner.slice(1, -1) : inner
  // Handlebars adds numbers up that stand beside each other unescaped; a text before each tag keeps it from that.
  return `.${open}${called}${open === '{{{' ? '}}}' : open === '{{~' ? '~}}' : '}}'}`
})
const { template } = fc.letrec<{ template: string; block: string }>((tie) => ({
  template: fc
    .array(fc.oneof({ depthSize: 'small' }, text, tag, tie('block')), { maxLength: 5 })
    .map((all) => all.join('')),
  block: fc
    .record({
      name: fc.constantFrom('if', 'unless', 'with', 'each', 'each'),
      mark: fc.constantFrom('#', '#', '#', '^', '#~'),
      argument: expression,
      hash: fc.constantFrom('', '', ' skip=1', ' limit=1', ' skip="1" limit=2'),
      params: fc.constantFrom('', '', ' as |x|', ' as |x y|'),
      inside: tie('template'),
      middle: fc.constantFrom('', '{{else}}', '{{else if b}}', '{{^}}', '{{~else~}}'),
      otherwise: tie('template'),
    })
    .map(({ name, mark, argument, hash, params, inside, middle, otherwise }) => {
      const open = mark === '#~' ? '{{~#' : `{{${mark}`
      const loops = name === 'each'
      return `${open}${name} ${argument}${loops ? hash : ''}${loops || name === 'with' ? params : ''}}}${inside}${middle}${middle ? otherwise : ''}{{/${name}}}`
    }),
}))

const leaf = fc.constantFrom<unknown>('', 'text', '<&>"\'`=', 0, 1, 2.5, true, false, null, 'x'.repeat(30))
const value = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.record({ a: leaf, b: fc.record({ a: leaf }) }, { requiredKeys: [] }),
)
const context = fc.record(
  {
    a: value,
    b: value,
    x: value,
    text: fc.string(),
    list: fc.array(value, { maxLength: 4 }),
    rows: fc.array(fc.record({ a: value, b: value }), { maxLength: 3 }),
    'with space': leaf,
  },
  { requiredKeys: ['list'] },
)

describe('a template that is walked instead of made into code', () => {
  it('renders what Handlebars renders', () => {
    let compared = 0
    fc.assert(
      fc.property(template, context, fc.constantFrom<TemplateFormat>('html', 'text'), (source, values, format) => {
        fc.pre(checkTemplate('document', source).length === 0)
        let wanted: string
        try {
          wanted = expected(source, format, values)
        } catch {
          return
        }
        compared += 1
        expect(compileTemplate(source, format)(values)).toBe(wanted)
      }),
      {
        numRuns: 3_000,
        examples: [['{{#with 1}}{{#with true}}.{{../../b}}{{/with}}{{/with}}', { b: 0, list: [] }, 'html']],
      },
    )
    expect(compared).toBeGreaterThan(1_000)
  })
})

const rendered = (source: string, values: Record<string, unknown>, format: TemplateFormat = 'text') =>
  compileTemplate(source, format)(values)

describe('a feed’s element that has text and attributes', () => {
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
  ])('is its text where it is printed: %s', (source, expected) => {
    const values = { title, list: [title], empty: { type: 'text', '#text': '' }, other: { '#text': {} } }
    expect(rendered(source, values)).toBe(expected)
  })

  it('is escaped as every text is', () => {
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
  ])('are in loops and with as outside: %s', (source, expected) => {
    const items = [{ name: 'a' }, { name: 'b' }]
    const values = { design, items, texts: ['x'], deep: { deeper: { x: 1 } }, own: { design: 'striped' } }
    expect(rendered(source, values)).toBe(expected)
  })
})
