import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from '../../http-express/test/browser.js'
import { edited } from './screens/edited.js'
import { layoutFaults, watched } from './screens/inspections.js'
import { type Screen, screens, show } from './screens/screens.js'
import { beginnings, markup, spoilTexts, strangersFaults } from './screens/strangers.js'
import { aConsole, type Console, startTime } from './screens/world.js'

/** They choose something by its text or picture, which is another one here. */
const choosing =
  /^(palette-found|tag-rename|campaigns-views|gallery-(image|move)|form-edit-mail|operator-view|visual-(text|button|social|condition|locked|not-rich))$/

const shown = screens.filter(
  ({ as, isLoading, name }) =>
    as !== 'nobody' && !isLoading && !/empty|not-found|no-project/.test(name) && !choosing.test(name),
)

/** Spread over all texts, which puts other ones into the places that screens share. */
const beginningOf = (screen: Screen) => Math.floor((shown.indexOf(screen) / shown.length) * beginnings)

describeInBrowser('texts of strangers on every screen', () => {
  let world: Console
  beforeAll(async () => {
    world = await aConsole()
  }, startTime)
  afterAll(() => world?.close())

  const look = async (screen: Screen, from: number): Promise<readonly string[]> => {
    const page = await world.open({ ...(screen.as && { as: screen.as }) })
    const faults = await watched(page)
    const stage = async () => {
      await screen.stage?.(page, world)
      await spoilTexts(page, from)
    }
    await show(page, world, { ...screen, stage })
    if (!(await page.locator('h1').first().isVisible())) faults.push('The heading is not visible')
    if (new URL(page.url()).origin !== new URL(world.server.base).origin) faults.push(`It led to ${page.url()}`)
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 844 })
      const found = [...(await strangersFaults(page)), ...(await layoutFaults(page))]
      faults.push(...found.map((fault) => `${width}: ${fault}`))
      if (process.env.SHOTS)
        await page.screenshot({ path: `${process.env.SHOTS}/strangers-${screen.name}-${width}.png` })
    }
    // A page may still load when it has been looked at.
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.context().close()
    // The server refuses what a page asks with such a text, and too long a URL.
    return [...new Set(faults)].filter((fault) => !/status of (400|431)/.test(fault))
  }

  it.for(shown)(
    '$name runs nothing, contains none of their elements, and keeps its layout',
    { timeout: 180_000 },
    async (screen) => expect(await look(screen, beginningOf(screen))).toEqual([]),
  )

  it.for(markup)('a refusal shows %j as text', async (message) => {
    const page = await world.open()
    const faults = await watched(page)
    await page.route(/\/console\/api\/projectId\/.*\/campaigns\?/, (route) =>
      route.fulfill({ status: 409, json: { status: 409, error: { name: 'BLOCKED_ERROR', message } } }),
    )
    await page.goto(world.at('/{project}/campaigns'))
    const alert = page.getByRole('alert')
    await alert.waitFor()
    const beginning = (text: string) =>
      text
        .replace(/[\u2066-\u2069]/g, '')
        .trim()
        .slice(0, 40)
    expect(beginning((await alert.innerText()).split('\n')[0] ?? '')).toBe(beginning(message))
    const unexpected = faults.filter((fault) => !fault.includes('status of 409'))
    expect([...unexpected, ...(await layoutFaults(page))]).toEqual([])
    await page.context().close()
  })

  it('a mail runs nothing and its links lead nowhere', async () => {
    const page = await world.open()
    const faults = await watched(page)
    await edited(page, /^\/render-preview\//, () => ({
      subject: markup[0],
      text: markup[1],
      warnings: [markup[2]],
      html: `<h1>Mail</h1><script>top.alert(1)</script><img src=x onerror="top.alert(1)"><a href="https://evil.example" target="_top">Win</a>
        <form action="https://evil.example"><button>Send</button></form><meta http-equiv="refresh" content="0;url=https://evil.example">`,
    }))
    await page.goto(world.at('/{project}/campaigns/{draft}'))
    const mail = page.frameLocator('iframe[title]').frameLocator('iframe')
    await mail.getByText('Win').click()
    await mail.getByText('Send').click()
    expect(page.url()).toContain('/campaigns/')
    expect(page.context().pages()).toHaveLength(1)
    // The sandbox says in the console what it refused.
    expect(faults.filter((fault) => !/sandbox|Blocked|Refused|about:srcdoc/i.test(fault))).toEqual([])
    await page.context().close()
  })
})
