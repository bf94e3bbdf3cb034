import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from '../../http-express/test/browser.js'
import { password } from '../../http-express/test/console/browser.js'
import { en } from '../src/text/en.js'
import { edited, fetched } from './screens/edited.js'
import { watched } from './screens/inspections.js'
import { screens } from './screens/screens.js'
import { ranCampaign } from './screens/staged.js'
import { aConsole, type Console, startTime } from './screens/world.js'

/** All but what the console itself needs to start. */
const ofPages = /\/console\/api\/(?!session$)|\/v1\/openapi\.json/
const refusal =
  (status: number, name: string, headers: Record<string, string> = {}) =>
  (route: Route) =>
    route.fulfill({ status, headers, json: { status, error: { name, message: '' } } })

/** What the server may answer to everything, and what the page then says. */
const failures: readonly [
  name: string,
  answer: (route: Route) => Promise<void>,
  says: string,
  next: string | undefined,
][] = [
  ['does not respond', (route) => route.abort(), en.errorOffline, en.tryAgain],
  [
    'has too many requests',
    refusal(429, 'TOO_MANY_REQUESTS_ERROR', { 'retry-after': '30' }),
    en.errorBusySeconds.replace('{seconds}', '30'),
    en.tryAgain,
  ],
  [
    'is unavailable',
    refusal(503, 'UNAVAILABLE_ERROR', { 'retry-after': '30' }),
    en.errorServerSeconds.replace('{seconds}', '30'),
    en.tryAgain,
  ],
  ['refuses the role', refusal(403, 'FORBIDDEN_ERROR'), en.errorForbidden, undefined],
]

const readNothing = ['deliveries', 'explain-form']

/** One for each page: its steps and dialogs read the same records. */
const reading = screens.filter(
  ({ as, stage, act, path, name }, at) =>
    as === undefined &&
    !stage &&
    !act &&
    !/nowhere|0000/.test(path) &&
    !readNothing.includes(name) &&
    screens.findIndex((one) => one.path.split('?')[0] === path.split('?')[0] && !one.stage) === at,
)

describeInBrowser('when something fails', () => {
  let world: Console
  beforeAll(async () => {
    world = await aConsole()
  }, startTime)
  afterAll(() => world?.close())

  const campaigns = async (page: Page) => {
    await page.goto(world.at('/{project}/campaigns'))
    await page.getByRole('table').waitFor()
  }

  // Together: most of the time passes before a page gives up.
  for (const [name, answer, says, next] of failures)
    it.concurrent.for(reading)(`$name says so if the server ${name}`, async (screen, { expect }) => {
      const page = await world.open()
      const faults = await watched(page)
      let isFailing = true
      await page.route(ofPages, (route) => (isFailing ? answer(route) : route.continue()))
      await page.goto(world.at(screen.path))
      const message = page.locator('main').getByText(says).first()
      await message.waitFor()
      expect(await page.locator('h1').innerText()).not.toBe('')
      if (next !== undefined) {
        isFailing = false
        // One in each part of the page that could not be read, from the last, since each goes away; one may bring back several parts.
        const buttons = await page.locator('main').getByRole('button', { name: next }).all()
        for (const button of buttons.reverse()) await button.click({ timeout: 3_000 }).catch(() => undefined)
        await message.waitFor({ state: 'detached' })
      }
      expect(faults).toEqual([])
      await page.context().close()
    })

  it('the console itself starts again when the server responds again', async () => {
    const page = await world.open()
    let isFailing = true
    await page.route(/\/console\/api\/session/, (route) => (isFailing ? route.abort() : route.continue()))
    await page.goto(world.at('/{project}/campaigns'))
    await page.getByRole('heading', { name: en.notStarted }).waitFor()
    isFailing = false
    await page.getByRole('button', { name: en.tryAgain }).click()
    await page.getByRole('table').waitFor()
    await page.context().close()
  })

  it('a file of the console that is missing after an upgrade leaves a page with a way on', async () => {
    const page = await world.open()
    await campaigns(page)
    await page.route(/\/assets\/contacts-page/, (route) => route.fulfill({ status: 404 }))
    await page.getByRole('link', { name: en.audience }).first().click()
    await page.getByRole('heading', { name: en.faultTitle }).waitFor()
    await page.unroute(/\/assets\/contacts-page/)
    await page.getByRole('button', { name: en.reload }).click()
    await page.getByRole('table').waitFor()
    await page.context().close()
  })

  it('a session that ends is renewed above a dialog, which keeps what was typed', async () => {
    const page = await world.open()
    await page.goto(world.at('/{project}/audience/lists?add=lists'))
    const dialog = page.getByRole('dialog', { name: en.newList })
    await dialog.getByLabel(en.name).fill('Readers of the north')
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    await dialog.getByRole('button', { name: en.create }).click()
    const expired = page.getByRole('dialog', { name: en.expiredTitle })
    await expired.waitFor()
    expect(cookies).toHaveLength(1)
    expect(await expired.getByLabel(en.email).inputValue()).toBe('mara@kestrel.example')
    await expired.getByLabel(en.password).fill('not the password')
    await expired.getByRole('button', { name: en.signIn }).click()
    await expired.getByText(en.signInWrong).waitFor()
    await expired.getByLabel(en.password).fill(password)
    await expired.getByRole('button', { name: en.signIn }).click()
    await expired.waitFor({ state: 'detached' })
    expect(await dialog.getByLabel(en.name).inputValue()).toBe('Readers of the north')
    await dialog.getByRole('button', { name: en.create }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /Readers of the north/ }).waitFor()
    await page.context().close()
  })

  it('a draft that is written while the session ends is saved after signing in again', async () => {
    const page = await world.open()
    await page.goto(world.at('/{project}/campaigns/{draft}'))
    await page.getByLabel(en.subject).waitFor()
    await page.context().clearCookies()
    await page.getByLabel(en.subject).fill('Written at midnight')
    const expired = page.getByRole('dialog', { name: en.expiredTitle })
    await expired.getByLabel(en.password).fill(password)
    await expired.getByRole('button', { name: en.signIn }).click()
    await page
      .locator('header')
      .getByText(/^Saved/)
      .waitFor()
    await page.reload()
    await page.getByLabel(en.subject).waitFor()
    expect(await page.getByLabel(en.subject).inputValue()).toBe('Written at midnight')
    await page.context().close()
  })

  it.for([429, 503])(
    'a form that is refused by %i keeps what was typed, and says when to try again',
    async (status) => {
      const page = await world.open()
      await page.goto(world.at('/{project}/audience/lists?add=lists'))
      const dialog = page.getByRole('dialog', { name: en.newList })
      await dialog.getByLabel(en.name).fill('Patient readers')
      await page.route(/\/subscriber-lists$/, (route) =>
        route.request().method() === 'POST'
          ? refusal(status, 'UNAVAILABLE_ERROR', { 'retry-after': '7' })(route)
          : route.continue(),
      )
      await dialog.getByRole('button', { name: en.create }).click()
      await dialog.getByRole('alert').waitFor()
      expect(await dialog.getByRole('alert').innerText()).toMatch(/7 s/)
      expect(await dialog.getByLabel(en.name).inputValue()).toBe('Patient readers')
      expect(await dialog.getByRole('button', { name: en.create }).isEnabled()).toBe(true)
      await page.context().close()
    },
  )

  it.for([
    ['a campaign', '/{project}/campaigns/000000000000000000000001', 'campaigns'],
    ['a segment', '/{project}/audience/segments/000000000000000000000001', 'segments'],
    ['an import', '/{project}/audience/imports/000000000000000000000001', 'imports'],
    ['a contact', '/{project}/audience/contacts/gone%40example.com', 'contacts'],
    ['a webhook', '/{project}/developers/webhooks/000000000000000000000001', 'webhooks'],
  ] as const)('%s that somebody deleted is named as such, with the way to the others', async ([, path, others]) => {
    const page = await world.open()
    await page.goto(world.at(path))
    await page
      .locator('main')
      .getByText(/no longer exists|There is no contact/)
      .waitFor()
    expect(await page.getByRole('button', { name: en.tryAgain }).count()).toBe(0)
    await page.locator('header').getByRole('link', { name: en[others] }).click()
    await page.getByRole('heading', { level: 1, name: en[others] }).waitFor()
    await page.context().close()
  })

  it('a list that somebody deletes meanwhile cannot be edited, and the dialog says why', async () => {
    const { result } = await world.owner.call<{ _id: string }>(
      'POST',
      `/projectId/${world.ids.project}/subscriber-lists`,
      {
        name: 'A list for a moment',
      },
    )
    const page = await world.open()
    await page.goto(world.at('/{project}/audience/lists'))
    await page.getByRole('button', { name: en.actionsOn.replace('{name}', 'A list for a moment') }).click()
    await page.getByRole('menuitem', { name: en.edit, exact: true }).click()
    await world.owner.call('DELETE', `/projectId/${world.ids.project}/subscriber-lists/${result._id}`)
    const dialog = page.getByRole('dialog', { name: en.editList })
    await dialog.getByLabel(en.name).fill('Another name')
    await dialog.getByRole('button', { name: en.save }).click()
    await dialog.getByText(en.errorGone).waitFor()
    expect(await dialog.getByLabel(en.name).inputValue()).toBe('Another name')
    await page.context().close()
  })

  it('a campaign that the engine stops while it is watched says why, and can be continued', async () => {
    const page = await world.open()
    await ranCampaign('being-sent')(page, world)
    await page.goto(world.at('/{project}/campaigns/{sent}'))
    await page.getByRole('button', { name: en.stopMore }).waitFor()
    await ranCampaign('error')(page, world)
    await page
      .locator('main')
      .getByText(/535 5\.7\.8/)
      .waitFor()
    await page.getByRole('button', { name: en.continueSending }).waitFor()
    expect(await page.getByRole('button', { name: en.stopMore }).count()).toBe(0)
    await page.context().close()
  })

  it.for([
    ['contacts', '/{project}/audience/contacts'],
    ['suppressions', '/{project}/audience/suppressions'],
    ['people', '/{project}/settings/people'],
    ['audit log', '/{project}/settings/audit'],
    ['API keys', '/{project}/developers/keys'],
    ['webhooks', '/{project}/developers/webhooks'],
    ['webhook', '/{project}/developers/webhooks/{webhook}'],
    ['deliveries', '/{project}/deliveries?address=ada%40hartwell.example'],
    ['import', '/{project}/audience/imports/{upload}'],
    ['contact', '/{project}/audience/contacts/ada%40hartwell.example'],
  ] as const)('an analyst who opens %s by its address learns who can permit it', async ([, path]) => {
    const page = await world.open({ as: 'analyst' })
    const faults = await watched(page)
    await page.goto(world.at(path))
    const said = page.locator('main').getByText(en.errorForbidden)
    await said.or(page.locator('main dl')).first().waitFor()
    expect(await page.locator('main').innerText()).not.toBe('')
    expect(await page.locator('main').innerText()).not.toContain('@')
    expect(faults).toEqual([])
    await page.context().close()
  })

  it('a person whose role shrinks meanwhile is told so by the form that they may no longer send', async () => {
    const page = await world.open()
    await page.goto(world.at('/{project}/audience/lists?add=lists'))
    const dialog = page.getByRole('dialog', { name: en.newList })
    await dialog.getByLabel(en.name).fill('Not mine any more')
    await page.route(/\/subscriber-lists$/, (route) =>
      route.request().method() === 'POST'
        ? refusal(403, 'FORBIDDEN_ERROR')(route)
        : fetched(route).then((response) => route.fulfill({ response })),
    )
    await dialog.getByRole('button', { name: en.create }).click()
    await dialog.getByText(en.errorForbidden).waitFor()
    expect(await dialog.getByLabel(en.name).inputValue()).toBe('Not mine any more')
    await page.context().close()
  })

  it('a fault of a response that the console does not understand leaves a page with a way on', async () => {
    const page = await world.open()
    await edited(page, /^\/campaigns$/, () => ({ items: [null], count: 1 }))
    await page.goto(world.at('/{project}/campaigns'))
    await page.getByRole('heading', { name: en.faultTitle }).waitFor()
    await page.getByRole('button', { name: en.reload }).waitFor()
    await page.context().close()
  })
})
