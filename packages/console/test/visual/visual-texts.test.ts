import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import mjmlParser from 'mjml-parser-xml'
import mjmlPreset from 'mjml-preset-core'
import { describe, expect, it } from 'vitest'
import type { MjmlNode } from '../../src/editor/visual/document.js'
import { fromHtml, fromMjml, MjmlProblem, toMjml } from '../../src/editor/visual/mjml-text.js'
import { fromTextHtml, toTextHtml } from '../../src/editor/visual/rich-text-html.js'
import { starters } from '../../src/templates/starters.js'

const again = (html: string) => {
  const read = fromTextHtml(html)
  return read && toTextHtml(read)
}

describe('the HTML of a text', () => {
  it.each([
    'Hello {{contact.name}}',
    'Dear {{DEFAULT contact.name "reader"}} &amp; <strong>all <em>of</em></strong> you',
    '<p>One</p><p style="text-align: center">Two<br />three</p>',
    '<h1>Title</h1><ul><li>a</li><li>b<ol><li>c</li></ol></li></ul>',
    '<a href="{{DEFAULT link "https://example.com/?a=1&b=2"}}">there</a>',
    '<span style="color: {{design.colors.primary}}">blue</span> and <u>more</u>',
    '5 &lt; 6 &amp;amp; 7&nbsp;€',
    '',
  ])('is the same after it was edited: %s', (html) => {
    expect(again(html)).toBe(html)
  })

  it.each([
    '<div>x</div>',
    '<p class="a">x</p>',
    '<span style="color: red; font-size: 9px">x</span>',
    '<a href="x" target="_blank">x</a>',
    '<script>alert(1)</script>',
    '<img src="x" onerror="alert(1)">',
    '{{#if a}}<p>x</p>{{/if}}',
    '<strong>not closed',
    '<p><strong>x</p></strong>',
    '<!-- note -->x',
    'x</p>',
  ])('is not opened as a rich text if it could not be written again: %s', (html) => {
    expect(fromTextHtml(html)).toBeUndefined()
  })

  it('of any kind is refused, or stays the same from the second time on', () => {
    const part = fc.constantFrom(
      ...[
        '<p>',
        '</p>',
        '<b>',
        '</b>',
        '<a href="x">',
        '</a>',
        '<ul><li>',
        '</li></ul>',
        '<br>',
        '{{a}}',
        '{{#if b}}',
        '<',
        '>',
        '&',
        '"',
        'x ',
        '&lt;',
        '}}',
        '{{',
      ],
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
        const once = again(parts.join(''))
        expect(once === undefined ? undefined : again(once)?.trim()).toBe(once?.trim())
      }),
      { numRuns: 2_000 },
    )
  })
})

const components = Object.fromEntries(mjmlPreset.components.map((one) => [one.componentName, one]))
const lean = ({ tagName, attributes = {}, children = [], content = '' }: MjmlNode): object => ({
  tagName,
  attributes,
  children: children.map(lean),
  content: content.trim(),
})

const sample = `<?xml version="1.0"?>
<mjml>
  <mj-head><mj-title>News &amp; more</mj-title><mj-attributes><mj-all padding="0px" /></mj-attributes></mj-head>
  <mj-body width="600px">
    <!-- greeting -->
    <mj-section background-color='#fff'>
      <mj-column>
        <mj-text color="red">Hello <b>{{contact.name}}</b> &amp; all<br/> <img src="a.png"> </mj-text>
        <mj-image src="https://example.com/a.png?a=1&amp;b=2" alt="The &quot;best&quot;" />
        <mj-raw>{{#if contact.city}}</mj-raw>
        <mj-button href="{{unsubscribeLink}}">Go</mj-button>
        <mj-raw>{{/if}}</mj-raw>
      </mj-column>
    </mj-section>
  </mj-body>
</mjml>`

describe('MJML', () => {
  it('becomes what MJML’s own parser makes of it', () => {
    expect(lean(fromMjml(sample))).toEqual(lean(mjmlParser(sample, { components, ignoreIncludes: true })))
  })

  it('is the same document after export and import', () => {
    const words = { text: 'Text', button: 'Go', heading: 'News' }
    for (const document of [fromMjml(sample), starters.newsletter(words)])
      expect(lean(fromMjml(toMjml(document)))).toEqual(lean(document))
  })

  it.each(['', 'hello', '<mj-body></mj-body>', '<mjml><mj-body>', '<mjml><mj-body></mjml>', '<mjml><mj-text>x</mjml>'])(
    'that is none is refused: %s',
    (source) => {
      expect(() => fromMjml(source)).toThrow(MjmlProblem)
    },
  )
})

describe('HTML', () => {
  it('becomes one block of its body, with its styles in the head', () => {
    const { children = [] } = fromHtml(
      '<html><head><style>p { color: red }</style></head><body class="a"> <p>x</p> </body></html>',
    )
    expect(children[0]?.children?.[0]?.content).toBe('p { color: red }')
    expect(children[1]?.children?.[0]).toMatchObject({ tagName: 'mj-raw', content: '<p>x</p>' })
    expect(fromHtml('<p>y</p>').children?.[0]?.children?.[0]?.content).toBe('<p>y</p>')
  })
})

describe('the table of components', () => {
  it('is that of the installed MJML', () => {
    const script = fileURLToPath(new URL('../../components.js', import.meta.url))
    expect(() => execFileSync(process.execPath, [script, '--check'], { stdio: 'pipe' })).not.toThrow()
  })
})
