import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { html } from '../../src/kernel/html.js'

describe('html', () => {
  it('escapes characters that end a text or an attribute', () => {
    expect(html`<a title="${`"'<&>`}">${`</a><script>`}</a>`.text).toBe(
      '<a title="&quot;&#39;&lt;&amp;&gt;">&lt;/a&gt;&lt;script&gt;</a>',
    )
  })

  it('omits absent and false values, and shows an empty text and a zero', () => {
    expect(html`[${undefined}${false}${''}${0}]`.text).toBe('[0]')
  })

  it('does not escape its own output, also in lists', () => {
    const bold = (text: string) => html`<b>${text}</b>`
    expect(html`${bold('<')}${[bold('1'), bold('2')]}`.text).toBe('<b>&lt;</b><b>1</b><b>2</b>')
  })

  it('lets no text begin a tag or leave its attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(html`${text}`.text).not.toMatch(/[<>"']|&(?!amp;|lt;|gt;|quot;|#39;)/)
      }),
    )
  })
})
