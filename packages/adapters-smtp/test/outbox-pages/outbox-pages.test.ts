import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Outbox, type OutboxAttachment, type OutboxMail, outboxPages } from '../../src/index.js'

const id = `ab${'0'.repeat(30)}`

const mail = (changes: Partial<OutboxMail> = {}): OutboxMail => ({
  id,
  from: 'News <news@example.com>',
  to: 'Ada <ada@example.org>',
  subject: 'Hello',
  date: '2026-11-21T10:00:00.000Z',
  size: 1_234,
  headers: [{ name: 'Subject', value: 'Hello' }],
  html: '<p>Hello</p>',
  text: 'Hello',
  source: 'Subject: Hello\r\n\r\nHello\r\n',
  attachments: [],
  ...changes,
})

type Kept = Omit<OutboxAttachment, 'index' | 'size'> & { readonly bytes: Uint8Array }

/** An outbox that holds that one mail. */
const holding = (one: OutboxMail, attachments: readonly Kept[] = []): Outbox => {
  const all = attachments.map((kept, index) => ({ ...kept, index, size: kept.bytes.length }))
  const whole = { ...one, attachments: all }
  return {
    list: async ({ skip, limit }) => ({ items: [one].slice(skip, skip + limit), count: 1 }),
    get: async (asked) => (asked === id ? whole : undefined),
    eml: async (asked) => (asked === id ? Buffer.from(one.source) : undefined),
    attachment: async (asked, index) => (asked === id ? all[index] : undefined),
  }
}

const opened = (outbox: Outbox, base?: string) => {
  const pages = outboxPages(outbox, base === undefined ? {} : { base })
  return async (path: string, method = 'GET') => {
    const { pathname, search } = new URL(path, 'http://x/')
    const given = path.startsWith('/') ? pathname : path
    const { status, headers, body } = await pages({ method, path: given, query: new URLSearchParams(search) })
    return { status, headers, body, text: typeof body === 'string' ? body : Buffer.from(body).toString() }
  }
}

const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`

/** The tags of a page that its template does not have. */
const strangeTags = (page: string) => page.match(/<(?:script|img)\b|<[a-z](?:[^>"]|"[^"]*")*\sonerror=/gi) ?? []

describe('every page', () => {
  const paths = ['', '/', `/${id}`, `/${id}/text`, `/${id}/headers`, `/${id}/source`, `/${id}/attachments`, '/nothing']
  const get = opened(holding(mail(), [{ filename: 'a.pdf', contentType: 'application/pdf', bytes: Buffer.from('x') }]))

  it.each(paths)('allows only its own style: %j', async (path) => {
    const { headers, text } = await get(path)
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
    const digest = createHash('sha256').update(style).digest('base64')
    expect(headers['Content-Security-Policy']).toContain(`style-src 'sha256-${digest}';`)
    expect(headers['Content-Security-Policy']).toMatch(/^default-src 'none';/)
    expect(headers).toMatchObject({ 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' })
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=/)
  })

  it.each(paths)('is readable by screen readers: %j', async (path) => {
    const { text } = await get(path)
    expect(text).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(text.match(/<h1\b/g)).toHaveLength(1)
    for (const landmark of ['<header', '<main id="main"', '<footer', 'role="search"', 'href="#main"', '<label'])
      expect(text).toContain(landmark)
    expect(text).toMatch(/<title>[^<]+Posthorn<\/title>/)
  })

  it('has links below its mount point', async () => {
    const elsewhere = opened(holding(mail()), '/admin/mails')
    for (const path of ['', `/${id}`, '/nothing']) {
      const links = (await elsewhere(path)).text.match(/(?:href|src|action)="[^"#]+"/g) ?? []
      for (const link of links) expect(link).toMatch(/="\/admin\/mails(?:[/?]|")/)
    }
  })

  it('escapes what a mail contains', async () => {
    const vicious = mail({
      ...{ from: evil, to: evil, subject: evil, text: evil, source: evil },
      headers: [{ name: evil, value: evil }],
    })
    const see = opened(holding(vicious, [{ filename: evil, contentType: evil, bytes: Buffer.from('') }]))
    for (const path of paths)
      expect(strangeTags((await see(`${path}?search=${encodeURIComponent(evil)}`)).text)).toEqual([])
  })

  it('shows any text unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (subject) => {
        const { text } = await opened(holding(mail({ subject, to: subject, text: subject })))(`/${id}/text`)
        expect(text.match(/</g)?.length).toBe((await opened(holding(mail()))(`/${id}/text`)).text.match(/</g)?.length)
      }),
    )
  })

  it('supports GET and HEAD only', async () => {
    for (const method of ['POST', 'DELETE', 'PUT'])
      expect(await get('/', method)).toMatchObject({ status: 405, headers: { Allow: 'GET, HEAD' } })
    expect((await get('/', 'HEAD')).status).toBe(200)
  })

  it.each([
    '/nothing',
    `/${id}/nothing`,
    `/${id}/text/more`,
    `/${id}/attachments/7`,
    `/${id}/attachments/-1`,
    `/${id}/attachments/1e3`,
    `/${id}/attachments/0/more`,
    '/%2ftext',
    `/${id.toUpperCase()}`,
    '/../../etc/passwd',
    '/..%2f..%2fetc%2fpasswd/source',
    '/__proto__',
    `/${id}/constructor`,
  ])('returns 404 with a page: %j', async (path) => {
    const { status, text } = await opened(holding(mail()))(path)
    expect(status).toBe(404)
    expect(text).toContain('There is nothing here')
  })
})

describe('the list', () => {
  const many = (count: number): Outbox => ({
    ...holding(mail()),
    list: async ({ skip, limit }) => ({
      items: Array.from({ length: Math.max(0, Math.min(limit, count - skip)) }, () => mail()),
      count,
    }),
  })

  it('shows the count, and links to older and newer mails', async () => {
    const get = opened(many(1_234))
    expect((await get('/')).text).toContain('1,234 mails')
    expect((await get('/')).text).toContain('<a rel="next" href="/outbox?skip=50">')
    expect((await get('/')).text).not.toContain('rel="prev"')
    const middle = (await get('/?search=a%26b&skip=50')).text
    expect(middle).toContain('51–100 of 1,234')
    expect(middle).toContain('<a rel="prev" href="/outbox?search=a%26b">')
    expect(middle).toContain('<a rel="next" href="/outbox?search=a%26b&amp;skip=100">')
    expect((await get('/?skip=1200')).text).not.toContain('rel="next"')
  })

  it('has no page links for a single page', async () => {
    expect((await opened(many(50))('/')).text).not.toContain('aria-label="Pages"')
    expect((await opened(many(1))('/')).text).toContain('1 mail<')
  })

  it.each([
    ['/', 'No mails yet'],
    ['/?search=x%3Cy', 'contains “x&lt;y”'],
    ['/?skip=100', 'There is nothing on this page'],
  ])('explains why it is empty: %s', async (path, words) => {
    expect((await opened(many(0))(path)).text).toContain(words)
  })

  it.each(['-1', '1.5', 'x', '1e9', '99999999999999', ''])('begins at the first mail for skip=%s', async (skip) => {
    expect((await opened(many(60))(`/?skip=${skip}`)).text).toContain('1–50 of 60')
  })
})

describe('a mail', () => {
  it('has tabs only for existing content', async () => {
    const tabs = async (one: OutboxMail) =>
      [
        ...(await opened(holding(one))(`/${id}`)).text.matchAll(
          /<a href="[^"]*"( aria-current="page")?>(HTML|Text|Headers|Source)</g,
        ),
      ].map(([, current, title]) => (current ? `[${title}]` : title))
    const { html: _html, ...noHtml } = mail()
    const { text: _text, ...neither } = noHtml
    expect(await tabs(mail())).toEqual(['[HTML]', 'Text', 'Headers', 'Source'])
    expect(await tabs(noHtml)).toEqual(['[Text]', 'Headers', 'Source'])
    expect(await tabs(neither)).toEqual(['[Headers]', 'Source'])
  })

  it('without HTML has no frame', async () => {
    const { html: _html, ...plain } = mail()
    expect((await opened(holding(plain))(`/${id}/html`)).status).toBe(404)
    expect((await opened(holding(plain))(`/${id}`)).text).not.toContain('<iframe')
  })

  it('has only web addresses as links in its text', async () => {
    const text = 'See https://a.example/x?y=1&z="2". And (http://b.example/). javascript:alert(1) https://<b>'
    const page = (await opened(holding(mail({ text })))(`/${id}/text`)).text
    expect(
      [...page.matchAll(/<a href="([^"]+)" target="_blank" rel="noopener noreferrer nofollow">/g)].map(([, to]) => to),
    ).toEqual(['https://a.example/x?y=1&amp;z=', 'http://b.example/'])
  })

  it('can be downloaded unchanged', async () => {
    expect(await opened(holding(mail()))(`/${id}/download`)).toMatchObject({
      status: 200,
      text: mail().source,
      headers: { 'Content-Disposition': `attachment; filename="${id}.eml"; filename*=UTF-8''${id}.eml` },
    })
  })
})

describe('a mail’s HTML', () => {
  const hostile =
    '<html><HEAD><title>x</title></HEAD><body><script>alert(1)</script><img src="https://t.example/p.gif"></body></html>'
  const get = opened(holding(mail({ html: hostile })))

  it('is shown in a frame without scripts and without the page’s origin', async () => {
    const { text } = await get(`/${id}`)
    const sandbox = /<iframe [^>]*sandbox="([^"]*)"/.exec(text)?.[1]
    expect(sandbox).toBe('allow-popups allow-popups-to-escape-sandbox')
    expect(text).toContain(`src="/outbox/${id}/html"`)
    expect(text).not.toContain('t.example')
  })

  it('has a policy that also protects when opened directly', async () => {
    const policy = (await get(`/${id}/html`)).headers['Content-Security-Policy'] ?? ''
    for (const directive of [
      "default-src 'none'",
      'img-src data:;',
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'self'",
    ])
      expect(policy).toContain(directive)
    expect(policy).toMatch(/; sandbox allow-popups allow-popups-to-escape-sandbox$/)
    expect(policy).not.toMatch(/script|same-origin|https/)
  })

  it('loads remote images only on request, and says so', async () => {
    expect((await get(`/${id}`)).text).toContain('Remote images are not loaded')
    expect((await get(`/${id}?images=remote`)).text).toContain(`src="/outbox/${id}/html?images=remote"`)
    expect((await get(`/${id}?images=remote`)).text).not.toContain('Remote images are not loaded')
    const policy = (await get(`/${id}/html?images=remote`)).headers['Content-Security-Policy']
    expect(policy).toContain('img-src data: https: http:;')
    expect((await opened(holding(mail({ html: '<a href="https://a.example">x</a>' })))(`/${id}`)).text).not.toContain(
      'Remote',
    )
  })

  it('opens links in a new window', async () => {
    expect((await get(`/${id}/html`)).text).toMatch(/^<html><HEAD><base target="_blank">/)
    expect((await opened(holding(mail()))(`/${id}/html`)).text).toBe('<base target="_blank"><p>Hello</p>')
  })

  it('has embedded images inlined, except types that can run scripts', async () => {
    const html = '<img src="cid:a%40x"><img src=\'CID:b@x\'><img src="cid:c@x"><i style="background:url(cid:a@x)">'
    const image = (contentId: string, contentType: string): Kept => ({
      ...{ contentId, contentType, filename: contentId },
      bytes: Buffer.from('x'),
    })
    const see = opened(holding(mail({ html }), [image('a@x', 'image/png'), image('b@x', 'image/svg+xml')]))
    expect((await see(`/${id}/html`)).text).toBe(
      '<base target="_blank"><img src="data:image/png;base64,eA=="><img src=\'CID:b@x\'><img src="cid:c@x"><i style="background:url(data:image/png;base64,eA==)">',
    )
  })
})

describe('an attachment', () => {
  const answer = async (kept: Partial<Kept>) =>
    opened(holding(mail(), [{ filename: 'a', contentType: 'text/html', bytes: Buffer.from('<script>'), ...kept }]))(
      `/${id}/attachments/0`,
    )

  it.each([
    ['text/html', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['application/xhtml+xml', 'application/octet-stream'],
    ['image/png', 'image/png'],
    ['image/jpeg', 'image/jpeg'],
  ])('declared as %s is served as %s, as a download', async (contentType, answered) => {
    const { headers, body } = await answer({ contentType })
    expect(headers).toMatchObject({ 'Content-Type': answered, 'X-Content-Type-Options': 'nosniff' })
    expect(headers['Content-Disposition']).toMatch(/^attachment;/)
    expect(headers['Content-Security-Policy']).toContain('sandbox')
    expect(Buffer.from(body as Uint8Array).toString()).toBe('<script>')
  })

  it.each([
    [
      'Bericht – März.pdf',
      `attachment; filename="Bericht _ M_rz.pdf"; filename*=UTF-8''Bericht%20%E2%80%93%20M%C3%A4rz.pdf`,
    ],
    [
      'a"; filename=evil.exe',
      `attachment; filename="a__ filename=evil.exe"; filename*=UTF-8''a%22%3B%20filename%3Devil.exe`,
    ],
    ['../../etc/passwd', `attachment; filename=".._.._etc_passwd"; filename*=UTF-8''.._.._etc_passwd`],
    ['a\r\nSet-Cookie: x', `attachment; filename="aSet-Cookie: x"; filename*=UTF-8''aSet-Cookie%3A%20x`],
    ['', `attachment; filename="attachment"; filename*=UTF-8''attachment`],
  ])('named %j is saved under a safe file name', async (filename, disposition) => {
    expect((await answer({ filename })).headers['Content-Disposition']).toBe(disposition)
  })

  it('always has a valid header, whatever its name', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: fc.constantFrom('"', '\\', ';', '\r', '\n', 'a', '\ud800', '%', "'", 'é') }),
        async (filename) => {
          expect((await answer({ filename })).headers['Content-Disposition']).toMatch(
            /^attachment; filename="[^"\\%;\r\n]+"; filename\*=UTF-8''[\w.%~!-]+$/,
          )
        },
      ),
    )
  })
})

describe('campaigns above the mails', () => {
  const campaign = (changes: object = {}) => ({
    campaignId: '69280e5c8f1c4a2b9d3e7f10',
    name: evil,
    status: 'being-sent',
    sent: 1_200,
    failed: 3,
    excluded: 0,
    waiting: 797,
    expanding: true,
    scheduledTo: '2026-11-21T10:00:00.000Z',
    reportUrl: 'https://example.com/mail/report?token=a.b&c',
    ...changes,
  })
  const told = (campaigns: readonly ReturnType<typeof campaign>[]) => {
    const pages = outboxPages(holding(mail()), { campaigns: async () => campaigns })
    return async (path = '', query = '') => {
      const { status, headers, body } = await pages({ method: 'GET', path, query: new URLSearchParams(query) })
      return { status, policy: headers['Content-Security-Policy'] ?? '', text: String(body) }
    }
  }

  it('show their progress, and link to their reports', async () => {
    const { text } = await told([campaign()])()
    expect(text).toContain('<progress aria-labelledby="campaign-69280e5c8f1c4a2b9d3e7f10" max="100" value="60">')
    expect(text).toContain('1,200 sent · 797 to go · 3 failed')
    expect(text).toContain('being sent, finding recipients')
    expect(text).toContain('href="/mail/report?token=a.b&amp;c"')
    expect(strangeTags(text)).toEqual(['<script'])
  })

  it('have no progress bar once they are sent, and are hidden if there is none', async () => {
    const sent = await told([campaign({ status: 'sent', waiting: 0, expanding: false })])()
    expect(sent.text).not.toContain('<progress')
    expect(sent.text).toContain('data-every="5"')
    expect((await told([])()).text).not.toContain('Campaigns')
  })

  it('are updated by the page’s only script', async () => {
    const get = told([campaign()])
    const { text, policy } = await get()
    const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(text) ?? []
    const digest = createHash('sha256').update(script).digest('base64')
    expect(policy).toContain(`script-src 'sha256-${digest}'; connect-src 'self'`)
    const part = await get('/campaigns')
    expect([part.status, part.policy]).toEqual([200, expect.not.stringContaining('script-src')])
    expect(part.text.trim()).toMatch(/^<section id="campaigns"[\s\S]*<\/section>$/)
  })

  it('are shown only on the first page, and only if configured', async () => {
    const get = told([campaign()])
    for (const query of ['search=a', 'skip=50']) expect((await get('', query)).text).not.toContain('<script')
    expect((await get('/campaigns/more')).status).toBe(404)
    const without = opened(holding(mail()))
    expect((await without('')).text).not.toContain('<section id="campaigns"')
    expect((await without('/campaigns')).status).toBe(404)
  })
})
