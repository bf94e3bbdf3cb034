import { figureSubject } from '@posthorn/core/ports/storage'
import { describe, expect, it } from 'vitest'
import { baseDesignSystem } from '../../src/design-systems/base-design-system.js'
import { linkAsWritten, mostClickedLinks } from '../../src/tracking/clicked-links.js'
import { aSentCampaign } from './sent-campaign.js'

describe('a link as its email contains it', () => {
  const document =
    '<a href="https://shop.example/?a=1&amp;b=2">x</a> <a href="https://shop.example/of/{{contact._id}}?x=1">y</a> <a href="{{contact.site}}">z</a>'

  it.each([
    ['is told whole where it stands there', 'https://shop.example/?a=1&b=2', 'https://shop.example/?a=1&b=2'],
    ['ends where a merge tag begins', 'https://shop.example/of/69280e5c?x=1', 'https://shop.example/of/…'],
    ['is nothing where all of it is a merge tag', 'https://ada.example.org/~ada?t=9', 'https://…'],
    ['is as good as cut where it is very long', `https://else.example/${'a'.repeat(900)}`, 'https://…'],
    ['may be anything', 'nothing', '…'],
  ])('%s', (_, link, written) => {
    expect(linkAsWritten(link, document)).toBe(written)
  })

  it('is found quickly in a hostile document', () => {
    expect(linkAsWritten(`https://${'a'.repeat(5_000)}`, 'https://'.repeat(100_000)).length).toBeLessThan(600)
  })
})

describe('clicks', () => {
  const threeLinks =
    '<a href="https://shop.example/a">a</a><a href="https://shop.example/b">b</a><a href="https://shop.example/of/{{contact.email}}">c</a>'

  const clickedCampaign = async (document = threeLinks) => {
    const world = await aSentCampaign(3, {}, { type: 'html', document })
    const { core, mails, campaignId, ports } = world
    return {
      ...world,
      click: (n: number, link?: string, block: object = {}) =>
        core.deliveryEvents.record({
          deliveryId: mails[n]?._id ?? '',
          type: 'click',
          ...(link !== undefined && { seen: { link, ...block } }),
        }),
      links: async () => {
        const links = (await ports.repositories.emailLinks.get({ _id: campaignId }))?.links ?? []
        const sums = await ports.figures.totalsOf(
          links.map((_, place) => figureSubject.link(campaignId, place)),
          'clicks',
        )
        return links.map((one, place) => [one.link, one.blockName, sums[figureSubject.link(campaignId, place)]])
      },
      others: () => ports.figures.totals(figureSubject.link(campaignId, 'others'), {}),
      mailsOf: (place: number) => ports.figures.totals(figureSubject.link(campaignId, place), {}),
    }
  }

  it('count for their link; a link with a merge tag is one for everybody', async () => {
    const { click, links, totals } = await clickedCampaign()
    await click(0, 'https://shop.example/a')
    await click(0, 'https://shop.example/a')
    await click(1, 'https://shop.example/b')
    await click(0, 'https://shop.example/of/reader1@example.com')
    await click(1, 'https://shop.example/of/reader2@example.com')
    expect(await links()).toEqual([
      ['https://shop.example/a', undefined, 2],
      ['https://shop.example/b', undefined, 1],
      ['https://shop.example/of/…', undefined, 2],
    ])
    expect(await totals()).toMatchObject({ clicks: 5, uniqueClicks: 2 })
  })

  it('are counted per link and per mail, and repetitions once', async () => {
    const { click, mailsOf, core, mails } = await clickedCampaign()
    for (const mail of [0, 0, 1, 0, 1]) await click(mail, 'https://shop.example/a')
    const named = { deliveryId: mails[2]?._id ?? '', type: 'click', name: 'one' } as const
    for (let n = 0; n < 2; n += 1)
      await core.deliveryEvents.record({ ...named, seen: { link: 'https://shop.example/a' } })
    await click(2, 'https://shop.example/b')
    expect([await mailsOf(0), await mailsOf(1)]).toEqual([
      { clicks: 6, uniqueClicks: 3 },
      { clicks: 1, uniqueClicks: 1 },
    ])
  })

  it('are separated by the link’s position, if known', async () => {
    const { click, links } = await clickedCampaign()
    await click(0, 'https://shop.example/a', { blockPosition: '1', blockName: 'Button' })
    await click(1, 'https://shop.example/a', { blockPosition: '4', blockName: 'Footer' })
    expect((await links()).map(([, block, n]) => [block, n])).toEqual([
      ['Button', 1],
      ['Footer', 1],
    ])
  })

  it('on a link of the design system are counted under its address', async () => {
    const { click, links } = await clickedCampaign(
      '<a href="{{design.links.website}}">Shop</a><a href="{{contact.site}}">Yours</a>',
    )
    const website = baseDesignSystem.variables.links.find(({ name }) => name === 'website')?.value as string
    await click(0, website)
    await click(1, 'https://ada.example.org/~ada')
    expect((await links()).map(([link]) => link)).toEqual([website, 'https://…'])
  })

  it('without a link count for the email only', async () => {
    const { click, links, totals } = await clickedCampaign()
    await click(0)
    expect([await links(), await totals()]).toMatchObject([[], { clicks: 1 }])
  })

  it('on further links are counted together over the limit', async () => {
    const { click, links, others } = await clickedCampaign()
    for (let n = 0; n < mostClickedLinks + 3; n += 1)
      await click(0, 'https://shop.example/a', { blockPosition: String(n), blockName: `Block ${n}` })
    expect((await links()).length).toBe(mostClickedLinks)
    expect(await others()).toEqual({ clicks: 3, uniqueClicks: 1 })
  })

  it('lose nothing under concurrency', async () => {
    const { click, links } = await clickedCampaign()
    await Promise.all(
      Array.from({ length: 30 }, (_, n) => click(n % 3, `https://shop.example/${n % 2 === 0 ? 'a' : 'b'}`)),
    )
    expect(Object.fromEntries((await links()).map(([link, , n]) => [link, n]))).toEqual({
      'https://shop.example/a': 15,
      'https://shop.example/b': 15,
    })
  })
})
