import { readFileSync } from 'node:fs'
import type { Request } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from '../../http-express/test/browser.js'
import { de } from '../src/text/de.js'
import { en } from '../src/text/en.js'
import { pl } from '../src/text/pl.js'
import { axeFaults, focusFaults, layoutFaults, titleFaults, untranslated, watched } from './screens/inspections.js'
import { screens, show } from './screens/screens.js'
import { aConsole, type Console, startTime } from './screens/world.js'

const widths = [1280, 390, 360]
/** In ms; a screen is looked at many times. */
const timeout = 180_000
/** In bytes, as transferred. */
const largestFirstLoad = 300_000

describeInBrowser('every screen of the console', () => {
  let world: Console
  beforeAll(async () => {
    world = await aConsole()
  }, startTime)
  afterAll(() => world?.close())

  it.for(screens)('$name is accessible and fits, in both themes', { timeout }, async (screen) => {
    const page = await world.look({ ...(screen.as && { as: screen.as }) })
    const faults = await watched(page)
    await show(page, world, screen)
    faults.push(...(await titleFaults(page)))
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 1280 ? 900 : 844 })
      faults.push(...(await layoutFaults(page)).map((fault) => `${width}: ${fault}`))
      for (const theme of ['light', 'dark']) {
        await page.evaluate(async (look) => {
          document.documentElement.dataset.theme = look
          // A colour that is inherited begins to change after that of its parent.
          for (let quiet = 0; quiet < 3; quiet += 1) {
            await new Promise(requestAnimationFrame)
            const changes = document.getAnimations().filter((one) => one instanceof CSSTransition)
            if (changes.length > 0) quiet = 0
            await Promise.allSettled(changes.map(({ finished }) => finished))
          }
        }, theme)
        if (width === 1280 || (width === 390 && theme === 'light'))
          faults.push(
            ...(await axeFaults(page, theme === 'dark' ? 'colours' : 'all')).map(
              (fault) => `${width} ${theme}: ${fault}`,
            ),
          )
        const { SHOTS } = process.env
        if (SHOTS && (width === 1280 || (width === 390 && theme === 'light')))
          await page.screenshot({
            path: `${SHOTS}/${screen.name}-${width}-${theme}.png`,
            fullPage: !screen.shows.includes('dialog'),
          })
      }
    }
    faults.push(...(await focusFaults(page)))
    await page.close()
    expect([...new Set(faults)]).toEqual([])
  })

  it.for(screens)('$name fits in German and Polish', { timeout }, async (screen) => {
    const faults: string[] = []
    for (const [language, words] of [
      ['de', de],
      ['pl', pl],
    ] as const) {
      const page = await world.look({ language, ...(screen.as && { as: screen.as }) })
      await show(page, world, screen, words)
      const found = [...(await untranslated(page, en, words))]
      for (const width of widths) {
        await page.setViewportSize({ width, height: 844 })
        found.push(...(await layoutFaults(page)).map((fault) => `${width}: ${fault}`))
      }
      faults.push(...found.map((fault) => `${language} ${fault}`))
      if (process.env.SHOTS) {
        await page.setViewportSize({ width: 1280, height: 900 })
        await page.screenshot({ path: `${process.env.SHOTS}/${screen.name}-1280-${language}.png` })
      }
      await page.close()
    }
    expect([...new Set(faults)]).toEqual([])
  })

  it('shows which import added an address, what was said about the consent, and that it left', async () => {
    const at = `/projectId/${world.ids.project}/subscriber-lists`
    const lists = await world.owner.call<{ items: { _id: string; name: string }[] }>('GET', at)
    const events = lists.result.items.find(({ name }) => name === 'Events')?._id
    await world.owner.call('PATCH', `${at}/${events}/subscribers/zoe%40fair.example`, { status: 'unsubscribed' })
    const page = await world.open()
    await page.goto(world.at('/{project}/deliveries?address=zoe%40fair.example'))
    const everything = page.locator('section').filter({ has: page.getByRole('heading', { name: en.everything }) })
    await everything.locator('time').first().waitFor()
    const texts = await everything.locator('b, small').allInnerTexts()
    await page.context().close()
    expect(texts).toEqual([
      en.leftList,
      en.joinedList,
      'Imported from bookfair.csv',
      'Consent: Signed up at the book fair in May',
      en.becameContact,
    ])
  })

  it('contacts are filtered by a field, and exported as they are filtered', async () => {
    const page = await world.open()
    await page.goto(world.at('/{project}/audience/contacts'))
    const rows = page.locator('tbody tr')
    await rows.first().waitFor()
    const all = await rows.count()
    await page.getByRole('button', { name: en.filter, exact: true }).click()
    await page.getByRole('textbox', { name: en.value }).fill('Ada Whitfield')
    await page.getByRole('button', { name: en.applyFilter }).click()
    await expect.poll(() => rows.count()).toBe(1)
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: en.exportContacts }).click()
    const file = readFileSync(await (await download).path(), 'utf8')
    expect(
      file
        .trim()
        .split('\n')
        .map((line) => line.split(',')[0]),
    ).toEqual(['email', 'ada@hartwell.example'])
    await page.getByRole('button', { name: en.removeCondition }).click()
    await expect.poll(() => rows.count()).toBe(all)
    const damaged = new URLSearchParams({ conditions: '{"groups":[{"conditions":[null]}]}' })
    await page.goto(world.at(`/{project}/audience/contacts?${damaged}`))
    await page.getByText(en.filteredByConditions).waitFor()
    await page.context().close()
  })

  it('loads at most 300 kB before the first page is shown', async () => {
    const page = await world.open({ as: 'nobody' })
    const finished: Request[] = []
    page.on('requestfinished', (request) => finished.push(request))
    await page.goto(world.at('/'))
    await page.getByRole('button', { name: en.signIn }).waitFor()
    await page.waitForLoadState('networkidle')
    const sizes = await Promise.all(finished.map((request) => request.sizes()))
    await page.context().close()
    const transferred = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    expect(transferred).toBeLessThanOrEqual(largestFirstLoad)
    expect(transferred).toBeGreaterThan(100_000)
  })
})
