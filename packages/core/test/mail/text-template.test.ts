import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findTagsAndHiddenParts, templateTags } from '../../src/mail/markup.js'
import { textTemplateOf } from '../../src/mail/plain-text.js'
import { compileTemplate } from '../../src/mail/template/program.js'
import { templateProblems } from '../../src/mail/template/syntax.js'

/** Drops what HTML does not show, as a converter does. */
const shown = async (html: string) =>
  findTagsAndHiddenParts(html).reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), html)

const textOf = (html: string) => textTemplateOf(html, shown)

describe('a template’s tags', () => {
  const kindsOf = (source: string) =>
    templateTags(source)?.map(({ start, end, kind }) => [source.slice(start, end), kind])

  it.each<[string, readonly (readonly [string, string])[]]>([
    [
      'a {{b}} c {{{d}}}',
      [
        ['{{b}}', 'other'],
        ['{{{d}}}', 'other'],
      ],
    ],
    [
      '{{#if a}}{{else if b}}{{^}}{{/if}}',
      [
        ['{{#if a}}', 'open'],
        ['{{else if b}}', 'else'],
        ['{{^}}', 'else'],
        ['{{/if}}', 'close'],
      ],
    ],
    [
      '{{~#each a~}}{{~ else ~}}{{~/each}}',
      [
        ['{{~#each a~}}', 'open'],
        ['{{~ else ~}}', 'else'],
        ['{{~/each}}', 'close'],
      ],
    ],
    [
      '{{^if a}}{{/if}}',
      [
        ['{{^if a}}', 'open'],
        ['{{/if}}', 'close'],
      ],
    ],
    ['{{elsewhere}}', [['{{elsewhere}}', 'other']]],
    [
      '{{EQ a "}}"}}{{EQ [}}] \'"\'}}',
      [
        ['{{EQ a "}}"}}', 'other'],
        ["{{EQ [}}] '\"'}}", 'other'],
      ],
    ],
    [
      '{{!-- {{a}} --}}{{! b }}',
      [
        ['{{!-- {{a}} --}}', 'other'],
        ['{{! b }}', 'other'],
      ],
    ],
    [
      '\\{{a}} \\\\{{b}}',
      [
        ['\\{{', 'other'],
        ['\\\\{{b}}', 'other'],
      ],
    ],
  ])('are found like Handlebars finds them: %s', (source, tags) => {
    expect(kindsOf(source)).toEqual(tags)
  })

  it.each(['{{a', '{{EQ a "}}', '{{{{if}}}}x{{{{/if}}}}', '{{!-- }}'])(
    'are undefined if they do not end: %s',
    (source) => {
      expect(templateTags(source)).toBeUndefined()
    },
  )
})

describe('a text template', () => {
  it.each<[string, string]>([
    ['<p>Hello {{DEFAULT contact.name "<b>&amp;"}}</p>', 'Hello {{DEFAULT contact.name "<b>&amp;"}}'],
    ['<ul>{{#each a}}<li>{{this}}</li>{{else}}none{{/each}}</ul>', '{{#each a}}{{this}}{{else}}none{{/each}}'],
    ['{{#if a}}<img src="{{b}}">{{/if}}', '{{#if a}}{{/if}}'],
    ['<p class="{{#if a}}x{{else}}y{{/if}}">z</p>', 'z'],
    ['<head>{{#if a}}<style>{{b}}</style>{{/if}}</head>t', 't'],
    ['<!-- {{#if a}} -->secret<!-- {{/if}} -->', '{{#if a}}secret{{/if}}'],
    ['<style>{{#each a}}</style>b{{/each}}', '{{#each a}}b{{/each}}'],
  ])('keeps the tags of a block together: %s', async (html, text) => {
    expect(await textOf(html)).toBe(text)
  })

  it('is undefined if a block is cut or a tag’s end is unclear', async () => {
    expect(await textTemplateOf('{{#if a}}x{{/if}}', async (html) => html.slice(0, -3))).toBeUndefined()
    expect(
      await textTemplateOf('{{#if a}}x{{/if}}', async (html) => html.split('x').reverse().join('x')),
    ).toBeUndefined()
    expect(await textOf('<p {{#if a}}class="b">one{{else}}class="c">two{{/if}}')).toBeUndefined()
    expect(await textOf('{{{{if}}}}')).toBeUndefined()
  })

  it('is a valid template that shows what the HTML shows', async () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      'w ',
      '<!--',
      '-->',
      '<style>',
      '</style>',
      ' class="',
      '"',
      '>',
      '<a href=',
      '{{a}}',
    )
    const { template } = fc.letrec<{ template: string }>((tie) => ({
      template: fc
        .array(
          fc.oneof(
            piece,
            fc.tuple(tie('template'), tie('template')).map(([one, other]) => `{{#if a}}${one}{{else}}${other}{{/if}}`),
          ),
          { maxLength: 6 },
        )
        .map((parts) => parts.join('')),
    }))
    await fc.assert(
      fc.asyncProperty(template, fc.constantFrom('', 'x'), async (html, a) => {
        const text = await textOf(html)
        if (text === undefined) return
        expect(templateProblems('text', text)).toEqual([])
        if (/[<>"=]/.test(html.replace(/<\/?p>/g, ''))) return
        expect(compileTemplate(text, 'text')({ a })).toBe(await shown(compileTemplate(html, 'text')({ a })))
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    '<',
    '<!--',
    '<a b="',
    '<style>',
    '<head>',
    '<style></title',
    '{{#if a}}',
    '{{a "',
    '<p {{#if a}}>',
    '\\{{',
    '{{!--',
    '\uFDD0\uFDD2\uFDD1',
    "=' ",
  ])('is computed for any length: %j', async (part) => {
    expect(['string', 'undefined']).toContain(typeof (await textOf(part.repeat(200_000))))
  })
})
