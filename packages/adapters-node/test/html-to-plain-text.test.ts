import { afterAll, describe, expect, it } from 'vitest'
import { htmlToPlainText, mjmlRenderer, sandboxProcesses } from '../src/index.js'

const processes = sandboxProcesses()
afterAll(() => processes.close())
const text = (html: string) => htmlToPlainText(processes)(html, 'project')

describe('a data table', () => {
  it.each<[string, string]>([
    [
      '<table><tr><td>Tea</td><td>29.00</td></tr><tr><td>Milk</td><td>11.20</td></tr></table>',
      'Tea    29.00\nMilk    11.20',
    ],
    [
      '<p>a</p><table><thead><tr><th>A<th>B</tr></thead><tr> <td><p>x</p></td> <td><div>y</div></td> </tr></table>b',
      'a\n\nA    B\nx    y\n\nb',
    ],
    ['<table><tr><td>one</td></tr><tr><td>two</td></tr></table>', 'one\ntwo'],
    ['<table><tr><td></td><td>Tea</td><td>&nbsp;</td><td><img src=x></td><td>29.00</td></tr></table>', 'Tea    29.00'],
    ['<table><tr>before<td>a</td>between<td>b</td>after</tr></table>', 'beforea    betweenb    after'],
    ['<table><tr><td>\uFDEEa\uFDEE</td><td>b</td></tr></table>', 'a    b'],
  ])('becomes a line per row with separated cells: %s', async (html, expected) => {
    expect(await text(html)).toBe(expected)
  })

  it('has separated cells if a template generates them', async () => {
    expect(await text('<table><tr>\uFDD0\uFDD2\uFDD1<td>a</td>\uFDD0\uFDD3\uFDD1</tr></table>')).toBe(
      '\uFDD0\uFDD2\uFDD1a    \uFDD0\uFDD3\uFDD1',
    )
  })
})

describe('a layout table', () => {
  it('becomes a paragraph per cell', async () => {
    const html = `<table><tr><td><table><tr><td><h1>Hello</h1></td></tr><tr><td><p>One</p><p>Two</p></td></tr></table></td>
      <td><table><tr><td><a href="https://b.example">Go</a></td></tr></table><ul><li>x</li></ul></td></tr></table>`
    expect(await text(html)).toBe('Hello\n\nOne\n\nTwo\n\nGo (https://b.example)\n\n * x')
  })

  it('reads in order for a mail of MJML, with columns below each other', async () => {
    const el = (tagName: string, children: object[] | string, attributes: Record<string, string> = {}) =>
      typeof children === 'string' ? { tagName, attributes, content: children } : { tagName, attributes, children }
    const column = (...children: object[]) => el('mj-column', children)
    const document = el('mjml', [
      el('mj-body', [
        el('mj-section', [
          column(
            el('mj-image', '', { src: 'https://s.example/l.png', alt: 'Shop', href: 'https://s.example' }),
            el('mj-text', '<h1>Your order</h1><p>Dear Ada,</p><p>thank you.</p>'),
            el('mj-divider', ''),
            el('mj-table', '<tr><th>Product</th><th>Price</th></tr><tr><td>Tea</td><td>29.00</td></tr>'),
          ),
        ]),
        el('mj-section', [
          column(el('mj-text', 'Left'), el('mj-button', 'Track', { href: 'https://s.example/t' })),
          column(el('mj-text', 'Right')),
        ]),
        el('mj-section', [
          column(
            el('mj-social', [el('mj-social-element', 'Web', { name: 'web', href: 'https://w.example' })]),
            el('mj-text', 'Shop Ltd<br><a href="https://s.example">https://s.example</a>'),
          ),
        ]),
      ]),
    ])
    expect(await text(await mjmlRenderer(processes, 'https://mail.example.com/icons')(document, 'project'))).toBe(
      [
        'Shop (https://s.example)',
        'Your order',
        'Dear Ada,',
        'thank you.',
        'Product    Price\nTea    29.00',
        'Left',
        'Track (https://s.example/t)',
        'Right',
        'Web (https://w.example)',
        'Shop Ltd\nhttps://s.example',
      ].join('\n\n'),
    )
  })
})

describe('a link', () => {
  it.each<[string, string]>([
    ['<a href="https://a.example">Read</a>', 'Read (https://a.example)'],
    ['<a href="https://a.example">https://a.example</a>', 'https://a.example'],
    ['<a href="mailto:a@b.example">a@b.example</a>', 'a@b.example'],
    ['<a href="https://a.example"><img src="x"></a>', 'https://a.example'],
    ['<a href="https://a.example"><img src="x" alt="A shop"></a>', 'A shop (https://a.example)'],
    [
      '<a href="https://a.example"><img src="x" alt="A"></a> <a href="https://a.example">Shop</a>',
      'Shop (https://a.example)',
    ],
    [
      '<a href="https://a.example">Shop</a> <a href="https://a.example"><img src="x"></a> <a href="https://b.example"><img></a>',
      'Shop (https://a.example) https://b.example',
    ],
    ['<a>x</a>', 'x'],
  ])('is written once: %s', async (html, expected) => {
    expect(await text(html)).toBe(expected)
  })
})

it.each([
  '<tr><td>',
  '<td>',
  '<table><tr><td>a</td>',
  '<a href="x"><img>',
  '<a href="x"><img></a>',
  '<td></td>',
  '\uFDEE',
  '\n \n',
])('any repeated input ends: %j', async (part) => {
  const made = await text(part.repeat(10_000)).catch((error: Error) => error.message)
  expect(made).not.toMatch(/longer than/)
})
