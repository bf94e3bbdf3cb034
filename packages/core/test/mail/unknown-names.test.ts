import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { unknownMergeTags, usedTopLevelVariables } from '../../src/mail/merge-tags.js'
import { compileTemplate } from '../../src/mail/template/program.js'
import { templateProblems } from '../../src/mail/template/syntax.js'

const names = (source: string) => usedTopLevelVariables(source)?.map(({ name }) => name)

describe('a template’s top-level names', () => {
  it.each<[string, readonly string[]]>([
    ['{{a}} {{{b.c}}} {{&d}} {{this.e}} {{./f}} {{"a name"}}', ['a', 'b', 'd', 'e', 'f', 'a name']],
    ['{{DEFAULT a (EQ b "c")}} {{lookup d "e"}} {{EQ 1 true}}', ['a', 'b', 'd']],
    ['{{#if a}}{{b}}{{else if c}}{{d}}{{else}}{{e}}{{/if}}', ['a', 'b', 'c', 'd', 'e']],
    ['{{#each items}}{{name}} {{this}} {{@index}} {{else}}{{none}}{{/each}}', ['items', 'none']],
    ['{{#each items limit=most}}{{#if sold}}{{name}}{{/if}}{{/each}}', ['items', 'most']],
    ['{{#with contact}}{{city}}{{^}}{{other}}{{/with}}', ['contact', 'other']],
    ['{{#each items}}{{../title}} {{@root.shop}} {{@root}} {{../../beyond}}{{/each}}', ['items', 'title', 'shop']],
    ['{{#each a}}{{#each b}}{{../c}} {{../../d}}{{/each}}{{/each}}', ['a', 'd']],
    ['{{#each items as |item at|}}{{item.name}} {{at}} {{this.at}}{{/each}}{{item}}', ['items', 'item']],
    ['{{#with a as |x|}}{{#each x}}{{x}} {{../x}} {{../../x}}{{/each}}{{/with}}', ['a', 'x']],
    ['{{! a }}{{!-- {{b}} --}}\\{{c}}', []],
  ])('are the data’s and not a loop’s: %s', (source, expected) => {
    expect(names(source)).toEqual(expected)
  })

  it('are undefined if the template is invalid', () => {
    expect(usedTopLevelVariables('{{#each')).toBeUndefined()
  })

  it('are the only ones that change the output', () => {
    const piece = fc.constantFrom('{{a}}', '{{b.c}}', '{{../a}}', '{{this.b}}', '{{x}}', '{{@root.a}}', '{{@key}}', 't')
    const { template } = fc.letrec<{ template: string }>((tie) => ({
      template: fc
        .array(
          fc.oneof(
            { depthSize: 'small' },
            piece,
            fc
              .tuple(
                fc.constantFrom('each', 'with', 'if', 'unless'),
                fc.constantFrom('a', 'b', '../b'),
                tie('template'),
              )
              .map(([name, over, inside]) =>
                name === 'each' || name === 'with'
                  ? `{{#${name} ${over} as |x|}}${inside}{{else}}${inside}{{/${name}}}`
                  : `{{#${name} ${over}}}${inside}{{/${name}}}`,
              ),
          ),
          { maxLength: 4 },
        )
        .map((parts) => parts.join('')),
    }))
    const value = fc.constantFrom<unknown>('', 'v', ['i', 'j'], [{ a: 1, b: 2 }], { a: 'n', b: ['m'] })
    fc.assert(
      fc.property(template, value, value, (source, a, b) => {
        fc.pre(templateProblems('t', source).length === 0)
        const values = { a, b, x: 'x' }
        const read = new Set(names(source))
        const left = Object.fromEntries(Object.entries(values).filter(([name]) => read.has(name)))
        expect(compileTemplate(source, 'text')(left)).toBe(compileTemplate(source, 'text')(values))
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('a merge tag without a value', () => {
  const email = {
    subject: '{{first_name}}, {{contact.name}}',
    previewText: '{{news.item.0.title}} {{design.texts.company}}',
    type: 'html',
    document: '<a href="{{unsubscribeLink}}">\n{{pauseSubscriptionLink}}{{verifyLink}}{{order.total}}</a>{{order.id}}',
    feeds: [{ url: 'https://example.com', feedType: 'json', variableName: 'news' }],
  } as const

  it('is reported with its position, once per field', () => {
    expect(unknownMergeTags(email)).toEqual([
      'subject: line 1, column 3: first_name has no value, so it stays empty unless the data of the send contains it',
      'document: line 2, column 42: order has no value, so it stays empty unless the data of the send contains it',
    ])
    expect(unknownMergeTags({ ...email, subject: '{{x', document: undefined })).toEqual([])
  })

  it('is not reported if the data has it', () => {
    expect(unknownMergeTags(email, { order: null, contact: 1 })).toEqual([
      'subject: line 1, column 3: first_name has no value, so it stays empty',
    ])
  })

  it('is found in a visual document, with blocks across texts', () => {
    const document = [
      { a: '{{#each items}}' },
      { b: '{{title}} {{../x}} {{design.colors.primary}}' },
      { c: '{{/each}}' },
    ]
    expect(unknownMergeTags({ subject: 's', type: 'visual', document }, { items: [] })).toEqual([
      'document: x has no value, so it stays empty',
    ])
  })

  it('is reported up to a limit', () => {
    const subject = Array.from({ length: 25 }, (_, n) => `{{x${n}}}`).join('')
    const warnings = unknownMergeTags({ subject })
    expect(warnings).toHaveLength(21)
    expect(warnings.at(-1)).toBe('5 more')
  })
})
