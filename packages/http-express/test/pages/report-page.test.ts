import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { subjectWithoutMergeTags } from '../../src/pages/report-page.js'
import { withoutAddresses } from '../../src/pages/report-sections.js'
import { aWorld, type World } from '../world.js'
import { aReportedCampaign } from './reported-campaign.js'

let world: World
let link: string
beforeAll(async () => {
  world = await aWorld()
  link = (await aReportedCampaign(world, { recipients: 300 })).link
})
afterAll(() => world.client.close())

const get = async (url: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(url, { headers })
  return {
    status: answer.status,
    policy: answer.headers.get('content-security-policy') ?? '',
    text: await answer.text(),
  }
}

describe('the report page', () => {
  it('allows only its own style and script, and requests to this server', async () => {
    const { status, policy, text } = await get(link)
    expect(status).toBe(200)
    const digests = [...text.matchAll(/<(?:style|script)>([\s\S]*?)<\/(?:style|script)>/g)].map(
      ([, source = '']) => `'sha256-${createHash('sha256').update(source).digest('base64')}'`,
    )
    expect(digests).toHaveLength(3)
    for (const digest of digests) expect(policy).toContain(digest)
    expect(policy).toMatch(
      /^default-src 'none'; style-src [^;]*; script-src [^;]*; connect-src 'self'; form-action 'self'/,
    )
    expect(policy).not.toContain('unsafe')
    expect(text).not.toMatch(/ style=| on\w+=|https?:\/\/(?!www\.w3\.org)[^<]*"/)
  })

  it('names no recipient', async () => {
    const { text } = await get(link)
    expect(text).toContain('Recipient address rejected')
    expect(text.slice(text.indexOf('<body>'))).not.toContain('@')
  })

  it('repeats every number of its charts in a table', async () => {
    const { text } = await get(link)
    const [, report] = /<table>\n<thead><tr><th scope="col">When([\s\S]*?)<\/table>/.exec(text) ?? []
    const sent = [...(report ?? '').matchAll(/<tr><td>[^<]*<\/td><td class="n">([\d,]+)/g)].map(([, n = '']) =>
      Number(n),
    )
    const { sent: all } = await world.core.campaignReports.get(world.project.scope, await campaignId())
    expect(sent.reduce((sum, n) => sum + n, 0)).toBe(all)
  })

  it('uses the browser’s language, numbers and dates included', async () => {
    const { text } = await get(link, { 'accept-language': 'de' })
    for (const words of ['<html lang="de">', 'Wer sie nicht bekam, und warum', '13. Januar 2026', '\u00a0%'])
      expect(text).toContain(words)
  })

  it.each(['', '?token=', '?token=forged', '?token=a.b', '?token=a&token=b'])(
    'is refused for any other token: %j',
    async (query) => {
      const { status, text } = await get(`${world.client.base}/report${query}`)
      expect(status).toBe(403)
      expect(text).toContain('ask whoever gave you the link')
    },
  )

  it('returns 404 after its campaign is removed', async () => {
    const { _id } = await world.core.campaigns.create(world.project.scope, {
      name: 'Gone',
      subject: 'S',
      timeZone: 'UTC',
      subscriberListId: world.project.list._id,
    })
    const { url } = await world.core.campaignReports.link(world.project.scope, _id)
    const there = url.replace('https://posthorn.example.com', world.client.base)
    expect((await get(there)).text).toContain('Nothing has happened yet.')
    await world.core.campaigns.remove(world.project.scope, _id)
    expect((await get(there)).status).toBe(404)
  })

  it('escapes everything that a project has written', async () => {
    const evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
    const { _id } = await world.core.campaigns.create(world.project.scope, {
      name: evil,
      subject: evil,
      timeZone: 'UTC',
      subscriberListId: world.project.list._id,
    })
    const { url } = await world.core.campaignReports.link(world.project.scope, _id)
    const { text } = await get(url.replace('https://posthorn.example.com', world.client.base))
    expect(text.match(/<script>|<img/g)).toEqual(['<script>'])
  })

  const campaignId = async () =>
    (await world.core.campaigns.list(world.project.scope, { skip: 0, limit: 30 })).items.find(
      ({ name }) => name === 'Spring collection 2026',
    )?._id ?? ''
})

describe('a subject with merge tags', () => {
  it.each([
    ['Spring', 'Spring'],
    ['{{DEFAULT contact.name "Hello"}}, it is spring', 'Hello, it is spring'],
    ['For {{contact.name}}', 'For …'],
    ['{{{raw}}} {{', '… {{'],
    ['{{'.repeat(3), '{{'.repeat(3).replaceAll('{{', '')],
  ])('%j is shown as %j', (subject, shown) => {
    expect(subjectWithoutMergeTags(subject).replaceAll('{{', '')).toBe(shown.replaceAll('{{', ''))
  })
})

describe('a relay’s reply', () => {
  it('is shown without addresses, and truncated', () => {
    expect(withoutAddresses('5.1.1 <ada@example.com>: unknown')).toBe('5.1.1 … unknown')
    expect(withoutAddresses('@'.repeat(100_000)).length).toBeLessThan(300)
    expect(withoutAddresses('x'.repeat(100_000)).length).toBeLessThan(300)
  })
})
