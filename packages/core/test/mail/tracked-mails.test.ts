import { fakeSecrets } from '@posthorn/testkit'
import PostalMime from 'postal-mime'
import { describe, expect, it } from 'vitest'
import { bytesOfBase64url } from '../../src/kernel/encoding.js'
import { filledLinkTarget, longestTrackedLink } from '../../src/mail/link-tracking.js'
import { type EmailToPrepare, linkTableOf, type MailToRender, prepareEmail } from '../../src/mail/rendering.js'
import { chargedRenderWork, renderWorkBudget } from '../../src/mail/template/budget.js'
import { mailTokenLength, mailTokens, readMailToken, readPersonalisedLink } from '../../src/tokens/tracking-token.js'

const secrets = fakeSecrets()
const base = 'https://links.example.com'
const dispatchId = '6'.repeat(24)
const contactId = '7'.repeat(24)
const tableId = 'abcdef012345'

const prepared = (document: string, changes: Partial<EmailToPrepare> & { opens?: boolean; clicks?: boolean } = {}) => {
  const { opens = true, clicks = true, ...others } = changes
  const email: EmailToPrepare = {
    content: { name: 'News', subject: 'News', type: 'html', document, feeds: [] },
    from: { email: 'post@example.com', name: 'Post' },
    feeds: {},
    data: {},
    plainText: { template: 'News' },
    kind: 'campaign',
    ids: { dispatchId, emailId: '5'.repeat(24) },
    feedback: { project: 'p', account: 'a' },
    publicHost: 'mail.example.com',
    ...others,
  }
  const tracking = { base, opens, clicks, tokenLength: mailTokenLength.many }
  const table = linkTableOf(email, tracking, () => true)
  return { email: { ...email, ...(table && { tracking: { ...tracking, table, tableId } }) }, table }
}

const tokensFor = mailTokens(secrets, { table: tableId, dispatchId })

const mail = (changes: Partial<MailToRender> = {}): MailToRender => ({
  to: { email: 'ada@example.com', name: 'Ada' },
  contact: { email: 'ada@example.com', name: 'Ada', tags: [], customFields: {} },
  deliveryId: `${dispatchId}:${contactId}`,
  date: new Date('2026-01-06T12:00:00.000Z'),
  tracking: tokensFor(contactId),
  ...changes,
})

type Prepared = ReturnType<typeof prepared>

const htmlOf = async ({ email }: Prepared, one: MailToRender = mail()) =>
  (await PostalMime.parse(await prepareEmail(email).render(one))).html ?? ''

const hrefsIn = (html: string) =>
  [...html.matchAll(/href="([^"]*)"/g)].map(([, href = '']) => href).filter((href) => !href.endsWith('/0'))

/** Where a link of a mail leads, as the redirect finds it. */
const followed = ({ table }: Prepared, url: string): string | undefined => {
  const [token = '', ref = '', signed] = url.slice(`${base}/c/`.length).split('/')
  const [, link, shared] = /^(\d+)(?:\.(\d+))?(?:-\d+)?$/.exec(ref) ?? []
  const entry = table?.links[Number(link) - 1]
  if (!entry) return undefined
  if (signed === undefined) {
    if (!readMailToken(secrets, token)) return undefined
    return shared === undefined ? filledLinkTarget(entry.to, []) : entry.shared?.[Number(shared) - 1]
  }
  const personal = readPersonalisedLink(secrets, token, ref, signed)
  if (!personal) return undefined
  const text = personal.values.slice(1)
  const values = personal.values.startsWith('0') ? [text] : new TextDecoder().decode(bytesOfBase64url(text)).split('\n')
  return filledLinkTarget(entry.to, values)
}

const leadsTo = async (one: Prepared, to?: MailToRender) => {
  const hrefs = hrefsIn(await htmlOf(one, to))
  for (const href of hrefs.filter((one) => one.startsWith(base)))
    expect(href.length).toBeLessThanOrEqual(longestTrackedLink)
  return hrefs.map((href) => (href.startsWith(`${base}/c/`) ? followed(one, href) : href))
}

describe('a tracked mail', () => {
  it('has a link of its own for each link, which leads to the same target', async () => {
    const one = prepared(
      '<body><a href="https://shop.example.com/?a=1&amp;b=2">Shop</a> <a href=\'http://example.org/x#y\'>X</a></body>',
    )
    const html = await htmlOf(one)
    expect(html).not.toContain('shop.example.com')
    expect(await leadsTo(one)).toEqual(['https://shop.example.com/?a=1&b=2'])
    expect(one.table?.links.map(({ to }) => to)).toEqual([
      ['https://shop.example.com/?a=1&b=2'],
      ['http://example.org/x#y'],
    ])
    expect(html).toMatch(/<img src="https:\/\/links\.example\.com\/o\/[\w-]{56}" [^>]*><\/body>/)
  })

  it('keeps links that are not on the web or lead to its own pages', async () => {
    const left = [
      'mailto:post@example.com',
      'tel:+4930123456',
      'sms:+49',
      '#top',
      '/relative',
      'other.html',
      '//example.com/x',
      'javascript:alert(1)',
      ' java&#x09;script:alert(1)',
      'JAVASCRIPT&colon;alert(1)',
      'data:text/html,x',
      'https:',
      'https://',
      '',
    ]
    const document = `${left.map((href) => `<a href="${href}">x</a>`).join('')}<a href="{{unsubscribeLink}}">Leave</a><a href="{{contact.own}}">o</a>`
    const links = {
      oneClick: 'https://mail.example.com/one',
      unsubscribeLink: 'https://mail.example.com/preferences?token=t',
      pauseSubscriptionLink: 'https://mail.example.com/preferences?token=t',
    }
    const contact = { ...mail().contact, customFields: { own: links.unsubscribeLink } }
    const html = await htmlOf(prepared(document), mail({ links, contact }))
    expect(hrefsIn(html).some((href) => href.includes('/c/'))).toBe(false)
    for (const href of left) expect(html).toContain(`href="${href}"`)
  })

  it('keeps merge tags in links: own values are signed, shared ones are in the link table', async () => {
    const one = prepared(
      '<a href="https://shop.example.com/{{contact.city}}?who={{contact.name}}&amp;x=1">a</a><a href="https://{{host}}/{{#if contact.vip}}vip{{else}}all{{/if}}">b</a>',
      { data: { host: 'long.example.com' } },
    )
    const ada = mail({ contact: { ...mail().contact, customFields: { city: 'Köln & "Co"', vip: true } } })
    expect(await leadsTo(one, ada)).toEqual([
      'https://shop.example.com/Köln & "Co"?who=Ada&x=1',
      'https://long.example.com/vip',
    ])
    expect(await leadsTo(one, mail())).toEqual([
      'https://shop.example.com/?who=Ada&x=1',
      'https://long.example.com/all',
    ])
  })

  it('distinguishes links of a loop', async () => {
    const item = [1, 2, 3].map((n) => ({ link: `https://news.example.com/${'long/'.repeat(20)}${n}`, title: `T${n}` }))
    const one = prepared(
      '{{#each feed.item}}<a href="{{link}}">{{title}}</a> <a href="https://example.com/all">all</a>{{/each}}',
      { feeds: { feed: { item } } },
    )
    const hrefs = hrefsIn(await htmlOf(one))
    expect(new Set(hrefs).size).toBe(6)
    expect(hrefs.map((href) => href.split('/').at(-1))).toEqual(['1.1', '2-1', '1.2-2', '2-2', '1.3-3', '2-3'])
    expect(await leadsTo(one)).toEqual(item.flatMap(({ link }) => [link, 'https://example.com/all']))
  })

  it('does not track a link whose values are too long or lead elsewhere', async () => {
    const one = prepared('<a href="https://example.com/{{contact.long}}">a</a><a href="{{contact.evil}}">b</a>')
    const customFields = { long: 'x'.repeat(300), evil: 'javascript:alert(1)' }
    const contact = { ...mail().contact, customFields }
    expect(await leadsTo(one, mail({ contact }))).toEqual([
      `https://example.com/${customFields.long}`,
      'javascript:alert(1)',
    ])
  })

  it('needs one signature for any number of links', async () => {
    let signed = 0
    const counting = {
      sign: (text: string) => {
        signed += 1
        return secrets.sign(text, 'tracking')
      },
    }
    const one = prepared('<a href="https://example.com/x">x</a>'.repeat(200))
    const tracking = mailTokens(counting, { table: tableId, dispatchId })(contactId)
    expect(hrefsIn(await htmlOf(one, mail({ tracking })))).toHaveLength(200)
    expect(signed).toBe(1)
  })

  it('tracks links of Outlook, and none in comments, styles and scripts', async () => {
    const one = prepared(
      '<!-- <a href="https://example.com/no">x</a> --><!--[if mso]><v:roundrect href="https://example.com/yes"></v:roundrect><![endif]--><style>a{}</style><a class="btn" href=https://example.com/plain>y</a>',
    )
    expect(one.table?.links.map(({ to }) => to)).toEqual([['https://example.com/yes'], ['https://example.com/plain']])
    expect(await htmlOf(one)).toContain('https://example.com/no')
  })

  it('distinguishes links on images, buttons and text', () => {
    const one = prepared(
      '<a href="https://example.com/1"><img src="x"></a><a href="mailto:x@example.com">m</a><a class="btn" href="https://example.com/2">b</a><a href="https://example.com/3">t</a>',
    )
    expect(one.table?.links.map(({ block }) => block)).toEqual([
      { position: '1', name: 'image' },
      { position: '3', name: 'button' },
      { position: '4', name: 'text' },
    ])
  })

  it('can track only opens or only clicks', async () => {
    const document = '<body><a href="https://example.com/">x</a></body>'
    const opens = await htmlOf(prepared(document, { clicks: false }))
    expect(opens).toContain('href="https://example.com/"')
    expect(opens).toContain('/o/')
    const clicks = await htmlOf(prepared(document, { opens: false }))
    expect(clicks).not.toContain('/o/')
    expect(clicks).toContain('/c/')
  })

  it('has an invisible trap link', async () => {
    const html = await htmlOf(prepared('<body><a href="https://example.com/">x</a></body>'))
    expect(html).toMatch(
      /<a href="[^"]*\/0" rel="nofollow" aria-hidden="true" tabindex="-1" style="display:none"><\/a>/,
    )
  })

  it('is not tracked if a link cannot be separated from its template', async () => {
    const broken = [
      '<a href="{{#if contact.vip}}https://example.com/a">x</a>{{else}}https://example.com/b">y</a>{{/if}}',
      '<a href="https://example.com/\uFDD0">x</a>',
    ]
    for (const document of broken) {
      const html = await htmlOf(prepared(document, { opens: false }))
      expect(html).not.toContain('/c/')
      expect(html).toContain('https://example.com/')
    }
  })

  it('tracks two links of one tag in the branches of a block', async () => {
    const one = prepared(
      '<a {{#if contact.vip}}href="https://example.com/vip"{{else}}href="https://example.com/all"{{/if}}>x</a>',
    )
    expect(await leadsTo(one)).toEqual(['https://example.com/all'])
    const contact = { ...mail().contact, customFields: { vip: 'yes' } }
    expect(await leadsTo(one, mail({ contact }))).toEqual(['https://example.com/vip'])
  })

  it('has untracked links in its plain text', async () => {
    const { email } = prepared('<a href="https://example.com/">x</a>', {
      plainText: { of: (html) => Promise.resolve(html) },
    })
    const { text, html } = await PostalMime.parse(await prepareEmail(email).render(mail()))
    expect(text).toContain('https://example.com/')
    expect(html).toContain('/c/')
  })
})

describe('a tracking token', () => {
  it('identifies its mail, and cannot be forged', () => {
    const { token = '', personal } = tokensFor(contactId) ?? {}
    expect(token).toHaveLength(mailTokenLength.many)
    expect(readMailToken(secrets, token)).toEqual({ table: tableId, dispatchId, contactId })
    for (let i = 0; i < token.length; i += 1) {
      const other = token[i] === 'A' ? 'B' : 'A'
      expect(readMailToken(secrets, token.slice(0, i) + other + token.slice(i + 1))).toBeUndefined()
    }
    expect(readMailToken(fakeSecrets('another'), token)).toBeUndefined()
    const [ids = '', ref = '', signed = ''] = personal?.('3', '0Ada').split('/') ?? []
    expect(readPersonalisedLink(secrets, ids, ref, signed)).toEqual({
      mail: { table: tableId, dispatchId, contactId },
      values: '0Ada',
    })
    expect(readPersonalisedLink(secrets, ids, '4', signed)).toBeUndefined()
    expect(readPersonalisedLink(secrets, ids, ref, `${signed}x`)).toBeUndefined()
  })

  it('identifies the only mail of a dispatch without a contact', () => {
    const { token = '' } = tokensFor(undefined) ?? {}
    expect(token).toHaveLength(mailTokenLength.one)
    expect(readMailToken(secrets, token)).toEqual({ table: tableId, dispatchId })
  })
})

describe('long links', () => {
  const blanks = '\t'.repeat(7_000)
  const document = `{{#each a}}<a href="https://x.example/{{#if @root.b}}${blanks}{{/if}}">x</a>{{/each}}`
  const data = { a: Array.from({ length: 300 }, () => 1), b: true }

  it('are charged for all their characters, even if the result is short', () => {
    const before = chargedRenderWork()
    expect(() => prepareEmail(prepared(document, { data }).email).render(mail())).toThrow('needs too much work')
    expect(chargedRenderWork() - before).toBeLessThan(2 * renderWorkBudget + 1_000_000)
  })

  it('are not tracked beyond what browsers accept', async () => {
    const long = `<a href="https://x.example/{{#if b}}${'&#9;'.repeat(2_100)}{{/if}}">x</a>`
    expect(hrefsIn(await htmlOf(prepared(long, { data })))).toEqual([`https://x.example/${'&#9;'.repeat(2_100)}`])
  })

  it('are tracked a thousand times in one mail', async () => {
    const looped = '{{#each a}}<a href="https://x.example/{{.}}">x</a>{{/each}}'
    const a = Array.from({ length: 1_000 }, (_, n) => `${n}`.padStart(80, 'x'))
    expect(hrefsIn(await htmlOf(prepared(looped, { data: { a } })))).toHaveLength(1_000)
  })
})

describe('a comment within a link', () => {
  it.each(['https://shop.example.com/{{! todo }}sale', '{{!-- todo --}}https://shop.example.com/sale'])(
    'does not change where the link leads: %s',
    async (href) => {
      const one = prepared(`<a href="${href}">x</a>`)
      const [url = ''] = hrefsIn(await htmlOf(one))
      expect(followed(one, url)).toBe('https://shop.example.com/sale')
    },
  )
})
