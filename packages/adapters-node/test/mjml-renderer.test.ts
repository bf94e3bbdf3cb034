import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Refusal } from '@posthorn/core'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { mjmlRenderer, type SandboxProcessesOptions, sandboxProcesses } from '../src/index.js'

const rendering = (options?: SandboxProcessesOptions) => {
  const processes = sandboxProcesses(options)
  opened.push(processes)
  const by = mjmlRenderer(processes, 'https://mail.example.com/icons')
  return (document: unknown, projectId = 'project') => by(document, projectId)
}
const opened: { close: () => Promise<void> }[] = []
afterAll(() => Promise.all(opened.map((processes) => processes.close())))

const render = rendering()

const element = (tagName: string, ...children: readonly object[]) => ({ tagName, children })
const leaf = (tagName: string, content = '', attributes: object = {}) => ({ tagName, content, attributes })
const withHead = (head: readonly object[], ...column: readonly object[]) =>
  element(
    'mjml',
    element('mj-head', ...head),
    element('mj-body', element('mj-section', element('mj-column', ...column))),
  )
const mail = (...column: readonly object[]) => withHead([], ...column)
const text = (content: string, attributes: object = {}) => leaf('mj-text', content, attributes)

const refusal = async (document: unknown, by = render): Promise<string> => {
  const reason = await by(document).then(
    () => undefined,
    (error: unknown) => error,
  )
  expect(reason).toBeInstanceOf(Refusal)
  expect((reason as Refusal).kind).toBe('blocked')
  return (reason as Refusal).message
}

const icons = fileURLToPath(new URL('../../http-express/icons', import.meta.url))

/** Every network that the installed MJML has an icon for. */
const mjmlNetworks = (): readonly string[] => {
  const source = readFileSync(createRequire(import.meta.url).resolve('mjml-social/lib/SocialElement.js'), 'utf8')
  const [, table = ''] = /defaultSocialNetworks = \{([\s\S]*?)\n\};/.exec(source) ?? []
  return [...table.matchAll(/^ {2}(\w+): \{/gm)].map(([, name = '']) => name)
}

/** mjml-core looks for the end of each of these, and there is none: minutes of work. */
const endless = element('mjml', element('mj-body', leaf('mj-raw', '<!--[if a]>'.repeat(90_000))))

describe('a visual document', () => {
  it('becomes HTML with its merge tags in texts, attributes and around elements', async () => {
    const html = await render(
      mail(
        text('Dear {{DEFAULT contact.name "reader"}} &amp; <b>all</b>', {
          color: '{{design.colors.text}}',
          'font-family': '{{design.fontStacks.body}}',
        }),
        leaf('mj-raw', '{{#each news.item limit=2}}'),
        leaf('mj-button', '{{title}}', { href: '{{DEFAULT link "https://example.com/"}}', 'border-radius': 4 }),
        leaf('mj-raw', '{{/each}}'),
      ),
    )
    expect(html).toMatch(/^<!doctype html>/)
    for (const kept of [
      '>Dear {{DEFAULT contact.name "reader"}} &amp; <b>all</b><',
      'font-family:{{design.fontStacks.body}};',
      'color:{{design.colors.text}};',
      'href="{{DEFAULT link "https://example.com/"}}"',
      'border-radius:4;',
    ])
      expect(html).toContain(kept)
    expect(html).toMatch(/\{\{#each news\.item limit=2\}\}[\s\S]+\{\{title\}\}[\s\S]+\{\{\/each\}\}/)
  })

  it('keeps merge tags when styles are inlined', async () => {
    const head = [leaf('mj-style', '.a div { font-weight: bold }', { inline: 'inline' })]
    const html = await render(
      withHead(head, text('{{#if x}}y{{/if}}', { 'css-class': 'a', color: '{{design.colors.text}}' })),
    )
    expect(html).toContain('color: {{design.colors.text}};')
    expect(html).toContain('font-weight: bold;')
    expect(html).toContain('{{#if x}}y{{/if}}')
  })

  it('may have quotes and brackets in attributes', async () => {
    const html = await render(
      mail(leaf('mj-image', '', { src: 'https://example.com/a.png', alt: 'The "best" <b> {{x "y"}}' })),
    )
    expect(html).toContain('alt="The &quot;best&quot; &lt;b> {{x "y"}}"')
  })

  it('loads no font that it does not name', async () => {
    const body = text('x', { 'font-family': 'Roboto, Open Sans, Inter' })
    expect(await render(mail(body))).not.toContain('googleapis')
    const font = leaf('mj-font', '', { name: 'Inter', href: 'https://fonts.example.com/inter.css' })
    expect(await render(withHead([font], body))).toContain('https://fonts.example.com/inter.css')
    expect(await render(mail(body))).not.toContain('fonts.example.com')
  })

  it('loads no image that it does not name, but the icons of the HTTP adapter', async () => {
    const named = 'https://example.com/named.png'
    const networks = mjmlNetworks()
    expect(networks).toHaveLength(17)
    const html = await render(
      mail(
        element(
          'mj-social',
          ...networks.map((name) => leaf('mj-social-element', name, { name, href: 'https://a.example' })),
        ),
        element('mj-carousel', ...['1', '2'].map(() => leaf('mj-carousel-image', '', { src: named }))),
        element('mj-accordion', element('mj-accordion-element', leaf('mj-accordion-title', 'Why?'))),
      ),
    )
    const images = new Set([...html.matchAll(/https?:[^"' )]+\.(?:png|jpe?g|gif)/g)].map(([url]) => url))
    images.delete(named)
    expect(images.size).toBe(networks.length + 4)
    for (const image of images) {
      const [, file = ''] = /^https:\/\/mail\.example\.com\/icons\/([a-z-]+\.png)$/.exec(image) ?? []
      expect({ image, exists: file !== '' && existsSync(join(icons, file)) }).toEqual({ image, exists: true })
    }
  })

  it('links to a page of a network, or to its form for sharing one', async () => {
    const link = (name: string) => leaf('mj-social-element', '', { name, href: 'https://a.example' })
    const html = await render(mail(element('mj-social', link('facebook'), link('facebook-noshare'))))
    expect(html).toContain('href="https://www.facebook.com/sharer/sharer.php?u=https://a.example"')
    expect(html).toContain('href="https://a.example"')
  })

  it('has no effect on the next document', async () => {
    const defaults = element(
      'mj-attributes',
      leaf('mj-text', '', { color: '#ff0000' }),
      leaf('mj-class', '', { name: '__proto__', color: '#00ff00' }),
    )
    expect(await render(withHead([defaults], text('x')))).toContain('#ff0000')
    const next = await render(mail(text('x', { 'mj-class': 'any' })))
    expect(next).not.toMatch(/#ff0000|#00ff00/)
  })
})

describe('an unsupported document', () => {
  it.each<[unknown, string]>([
    [null, 'expected MJML in JSON'],
    ['<mjml></mjml>', 'expected MJML in JSON'],
    [{ rows: [] }, 'expected MJML in JSON'],
    [{ tagName: 'mjml' }, 'Malformed MJML'],
    [element('mjml', [] as object), 'an element is not an object'],
    [mail({ tagName: 'script', content: 'alert(1)' }), 'a tagName that MJML does not know'],
    [mail({ tagName: '__proto__' }), 'a tagName that MJML does not know'],
    [mail(leaf('mj-magic')), "Element mj-magic doesn't exist"],
    [element('mjml', element('mj-body', text('x'))), 'mj-text cannot be used inside mj-body'],
    [mail({ tagName: 'mj-text', content: 5 }), 'the content of mj-text is not text'],
    [mail({ tagName: 'mj-text', children: 'x' }), 'the children of mj-text are not an array'],
    [mail({ tagName: 'mj-text', attributes: ['x'] }), 'the attributes of mj-text are not an object'],
    [mail(text('x', { color: { r: 1 } })), 'the attribute color of mj-text is not text'],
    [mail(text('x', { constructor: 'x' })), 'an invalid attribute name'],
    [mail(text('x', { 'on"load': 'x' })), 'an invalid attribute name'],
    [mail(text('x', { shade: 'x' })), 'Attribute shade is illegal'],
    [mail(text('x', { color: 'reddish' })), 'Attribute color has invalid value: reddish'],
    [mail(text('x', { padding: '{{x}}' })), 'Attribute padding has invalid value: {{x}}'],
  ])('is refused with the reason: %j', async (document, reason) => {
    const message = await refusal(document)
    expect(message).toMatch(/^The visual document cannot be rendered: /)
    expect(message).toContain(reason)
  })

  it('cannot include files', async () => {
    const include = leaf('mj-include', '', { path: '/etc/passwd' })
    for (const document of [mail(include), withHead([include], text('x')), element('mjml', include)])
      expect(await refusal(document)).not.toContain('root:')
    const noted = {
      ...text('x'),
      absoluteFilePath: '/etc/passwd',
      file: '/etc/passwd',
      includedIn: [{ file: '/etc/passwd' }],
    }
    expect(await render(mail(noted))).not.toContain('/etc/passwd')
    expect(await render(mail(text('<mj-include path="/etc/passwd" />')))).toContain('<mj-include path="/etc/passwd" />')
  })
})

describe('a hostile document', () => {
  it('has its scripts as text, like an email of type html', async () => {
    const script = '<script>process.exit(1)</script>'
    expect(await render(mail(leaf('mj-raw', script)))).toContain(script)
  })

  const wrapped = (levels: number): object => element('mj-wrapper', ...(levels > 0 ? [wrapped(levels - 1)] : []))

  it.each<[string, () => object, string]>([
    ['too deep', () => element('mjml', wrapped(90)), 'more than 40 levels deep'],
    ['too large', () => mail(...Array.from({ length: 5001 }, () => text('x'))), 'more than 5000 elements'],
    ['too long as HTML', () => mail(leaf('mj-raw', 'x'.repeat(2_000_001))), 'more than 2000000 characters'],
  ])('that is %s is refused', async (_, make, reason) => {
    expect(await refusal(make())).toContain(reason)
  })

  it('that takes too long or too much memory is ended, and later ones are rendered', async () => {
    const hasty = rendering({ milliseconds: 3_000 })
    await hasty(mail(text('first')))
    const all = element('mj-attributes', leaf('mj-all', '', { 'css-class': 'x'.repeat(500_000) }))
    const vast = withHead([all], ...Array.from({ length: 4000 }, () => text('x')))
    const answers = Promise.all([refusal(endless, hasty), hasty(mail(text('behind'))), refusal(vast, hasty)])
    const [reason, behind] = await answers
    expect(reason).toContain('it takes longer than 3000 ms')
    expect(behind).toContain('behind')
    expect(await hasty(mail(text('after')))).toContain('after')
  })

  it('of any kind is rendered or refused', async () => {
    const tag = fc.constantFrom(
      'mjml',
      'mj-body',
      'mj-section',
      'mj-column',
      'mj-text',
      'mj-raw',
      'mj-image',
      'mj-group',
      'mj-carousel',
      'mj-social',
    )
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.record(
        {
          tagName: tag,
          attributes: fc.dictionary(
            fc.constantFrom('color', 'width', 'padding', 'name', 'src', 'border', 'mj-class'),
            fc.string(),
          ),
          content: fc.string(),
          children: fc.array(tie('node'), { maxLength: 3 }),
        },
        { requiredKeys: ['tagName'] },
      ),
    }))
    const any = fc.oneof(
      fc.jsonValue(),
      node,
      node.map((one) => mail(one as object)),
    )
    await fc.assert(
      fc.asyncProperty(any, async (document) => {
        const answer = await render(document).catch((error: unknown) => error)
        expect(typeof answer === 'string' || (answer instanceof Refusal && answer.kind === 'blocked')).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})
