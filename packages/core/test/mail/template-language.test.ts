import { describe, expect, it } from 'vitest'
import { RenderFailure } from '../../src/mail/template/budget.js'
import { compileTemplate } from '../../src/mail/template/program.js'
import { templateProblems, usesVariable } from '../../src/mail/template/syntax.js'

const html = (template: string, context: Record<string, unknown> = {}) => compileTemplate(template, 'html')(context)

describe('a template', () => {
  it.each([
    ['{{log "x"}}', 'line 1, column 1: unknown helper log'],
    ['a\n  {{#if x}}{{foo bar}}{{/if}}', 'line 2, column 12: unknown helper foo'],
    ['{{> partial}}', 'line 1, column 1: partials are not available'],
    ['{{#> layout}}x{{/layout}}', 'line 1, column 1: partials are not available'],
    ['{{* decorator}}', 'line 1, column 1: decorators are not available'],
    ['{{#items}}x{{/items}}', 'line 1, column 1: unknown block helper items'],
    ['{{helperMissing x}}', 'line 1, column 1: unknown helper helperMissing'],
    ['a\n {{#if}}x{{/if}}', 'line 2, column 2: if takes 1 argument, none is given; write {{#if value}}'],
    ['{{EQ a}}', 'line 1, column 1: EQ takes 2 arguments, 1 is given'],
    ['{{AND}}', 'line 1, column 1: AND takes at least 1 argument, none is given'],
    ['{{#each a by=2}}{{/each}}', 'each has no option by='],
    ['{{each a}}', 'each needs a block'],
    ['{{#EQ a b}}x{{/EQ}}', 'EQ is not a block helper'],
    ['{{#if (XOR a b)}}{{/if}}', 'line 1, column 7: unknown helper XOR'],
    ['{{#if a}}x{{/unless}}', "if doesn't match unless"],
    ['line\n{{foo', 'line 2, column'],
    ['{{__proto__.x y}}', 'unknown helper'],
  ])('%j is rejected with line and column: %s', (template, reason) => {
    const [violation, ...others] = templateProblems('document', template)
    expect(violation).toContain('document: ')
    expect(violation).toContain(reason)
    expect(others).toEqual([])
    expect(() => compileTemplate(template, 'html')).toThrow(RenderFailure)
  })

  it.each([
    ['{{name}} {{missing}} {{a.b.c}}', { name: 'Ada' }, 'Ada  '],
    ['{{x}} {{{x}}}', { x: '<b>&"' }, '&lt;b&gt;&amp;&quot; <b>&"'],
    ['{{#if (AND a (NOT b))}}yes{{else}}no{{/if}}', { a: [1], b: [] }, 'yes'],
    ['{{OR "" 0 no}}{{OR "" yes}}', { yes: true }, 'falsetrue'],
    ['{{EQ 1 one}}{{EQ 1 text}}', { one: 1, text: '1' }, 'truefalse'],
    ['{{INCLUDES list "b"}}{{INCLUDES "abc" "b"}}{{INCLUDES 5 "b"}}', { list: ['a', 'b'] }, 'truetruefalse'],
    ['{{CAPITALIZE name}}', { name: 'straße' }, 'STRASSE'],
    ['{{TRUNCATE name 3}}|{{TRUNCATE name 9}}', { name: 'Zoë😀x' }, 'Zoë...|Zoë😀x'],
    ['{{DEFAULT a "x"}}{{DEFAULT b "y"}}{{DEFAULT c "z"}}', { a: '', b: 0, c: null }, 'x0z'],
    [
      '{{#each list skip=1 limit=2}}{{@index}}{{this}}{{#unless @last}},{{/unless}}{{/each}}',
      { list: ['a', 'b', 'c', 'd'] },
      '0b,1c',
    ],
    ['{{#each none}}x{{else}}nobody{{/each}}', {}, 'nobody'],
    ['{{#each map}}{{@key}}={{this}};{{/each}}', { map: { a: 1, b: 2 } }, 'a=1;b=2;'],
    ['{{#each rows as |row i|}}{{i}}{{row.n}}{{/each}}', { rows: [{ n: 'x' }] }, '0x'],
    ['{{#with a}}{{b}}{{../c}}{{/with}}', { a: { b: 1 }, c: 2 }, '12'],
    ['{{lookup list 1}}', { list: ['a', 'b'] }, 'b'],
    ['{{constructor}}{{toString}}{{__proto__}}{{a.constructor.name}}', { a: {} }, ''],
  ])('%j renders', (template, context, expected) => {
    expect(templateProblems('document', template)).toEqual([])
    expect(html(template, context)).toBe(expected)
  })

  it('is not escaped in a subject or plain text', () => {
    expect(compileTemplate('{{x}}', 'text')({ x: '<b> & "' })).toBe('<b> & "')
  })

  it('stops at 100,000 loop iterations and 5 MB of output', () => {
    const rows = Array.from({ length: 300 }, (_, n) => n)
    expect(() => html('{{#each r}}{{#each ../r}}{{#each ../../r}}x{{/each}}{{/each}}{{/each}}', { r: rows })).toThrow(
      'loops more than 100000 times',
    )
    expect(() => html('{{#each r}}{{../long}}{{/each}}', { r: rows, long: 'x'.repeat(20_000) })).toThrow(
      'larger than 5 MB',
    )
  })

  it('lists the variables that it uses, wherever they are', () => {
    expect(usesVariable('<a href="{{verifyLink}}">', 'verifyLink')).toBe(true)
    expect(usesVariable('{{#if a}}{{@root.verifyLink}}{{/if}}', 'verifyLink')).toBe(true)
    expect(usesVariable('verifyLink {{other}}', 'verifyLink')).toBe(false)
    expect(usesVariable('{{verifyLink', 'verifyLink')).toBe(false)
  })
})
