import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page, type Request } from 'playwright-core'
import { type Environment, type Installation, startServer } from '../bed/installation.js'
import { percentiles, type Result, type Row, resultOf } from '../row.js'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const loads = 15

type Load = {
  /** Until the page shows what was waited for, in milliseconds from its navigation. */
  readonly shownMs: number
  /** What tasks of the page's thread took beyond 50 ms each: clicks wait as long. Lighthouse calls it total blocking time. */
  readonly blockedMs: number
  /** Of all bodies as transferred, compressed. */
  readonly bytes: number
}

/** Runs in the page before its own scripts; a text, because the compiler of this file would add its helpers to a function. */
const observed = (selector: string) => `
  globalThis.blocked = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.blocked += duration - 50
  }).observe({ type: 'longtask', buffered: true })
  globalThis.shown = new Promise((resolve) => {
    const look = () => document.querySelector(${JSON.stringify(selector)}) ? resolve(performance.now()) : requestAnimationFrame(look)
    look()
  })`

/** A page in a browser context that has the given session and nothing cached. */
const loadOnce = async (
  browser: Browser,
  url: string,
  selector: string,
  storageState: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>> | undefined,
): Promise<Load> => {
  const context = await browser.newContext({ ...(storageState && { storageState }) })
  try {
    const page = await context.newPage()
    const finished: Request[] = []
    page.on('requestfinished', (request) => finished.push(request))
    await page.addInitScript(observed(selector))
    await page.goto(url)
    const shownMs = await page.evaluate<number>('globalThis.shown')
    await page.waitForLoadState('networkidle')
    const blockedMs = await page.evaluate<number>('globalThis.blocked')
    const sizes = await Promise.all(finished.map((request) => request.sizes()))
    const bytes = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
    return { shownMs, blockedMs, bytes }
  } finally {
    await context.close()
  }
}

const measure = async (name: string, { contacts }: Installation, load: () => Promise<Load>): Promise<Result> => {
  const all: Load[] = []
  for (let n = 0; n < loads; n += 1) all.push(await load())
  const shown = all.map(({ shownMs }) => shownMs)
  const blocked = percentiles(all.map(({ blockedMs }) => blockedMs))
  return resultOf({
    name,
    recipients: contacts,
    rate: (loads * 1000) / shown.reduce((sum, ms) => sum + ms, 0),
    unit: 'pages',
    ...percentiles(shown),
    more: { blockedP95Ms: blocked.p95 ?? 0, bytes: Math.max(...all.map(({ bytes }) => bytes)) },
  })
}

/** The console in a browser without a cache: the page to sign in, and Home of a project with all contacts. */
export const consoleLoad: Row = {
  name: 'console-load',
  skipped: () => (existsSync(executablePath) ? undefined : `there is no browser at ${executablePath}`),
  run: async (bed) => {
    const installation = await bed.installation(bed.options.recipients)
    const { POSTHORN_PUBLIC_URL: _, ...environment }: Environment = installation.environment
    const server = await startServer({ ...environment, POSTHORN_ROLES: 'api' })
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] })
    try {
      const [, link = ''] = /^(http:\S+\/console\/setup#\S+)$/m.exec(server.printed()) ?? []
      const { origin } = new URL(link)
      const page = await browser.newPage()
      await page.goto(link)
      await page.getByLabel('Name').fill('Olga Owner')
      await page.getByLabel('Email').fill('olga@example.com')
      await page.getByLabel('Password').fill('correct horse battery')
      await page.getByRole('button', { name: 'Create the owner' }).click()
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
      const session = await page.context().storageState()
      return [
        await measure('console-load', installation, () =>
          loadOnce(browser, `${origin}/console/`, 'form button', undefined),
        ),
        await measure('console-load-home', installation, () =>
          loadOnce(browser, `${origin}/console/${installation.projectId}/home`, 'main section', session),
        ),
      ]
    } finally {
      await browser.close()
      await server.stop()
    }
  },
}
