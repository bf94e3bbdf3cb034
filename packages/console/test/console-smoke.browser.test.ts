import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  projectOf,
  type RunningServer,
  startBuiltServer,
  stopServer,
  temporaryDirectory,
} from '../../../tests/server-process.js'
import { aBrowser, describeInBrowser } from '../../http-express/test/browser.js'
import { type ConsoleServer, consoleServer, password, person } from './console-server.js'

describeInBrowser('the console in a browser', () => {
  const directory = temporaryDirectory()
  let server: RunningServer
  let front: ConsoleServer
  let browser: Browser

  beforeAll(async () => {
    server = await startBuiltServer(directory.path)
    front = await consoleServer(server, projectOf(server).project)
    browser = await aBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await front?.close()
    await stopServer(server)
    directory.remove()
  })

  it('signs a person in and shows the campaigns of the project, without an error in the page', async () => {
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      // Chromium reports the 401 before signing in as an error, too.
      if (message.type() === 'error' && !message.text().includes('401')) faults.push(message.text())
    })
    await page.goto(`${front.url}/console`)
    await page.getByLabel('Email').fill(person.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home', exact: true }).waitFor()
    await page.getByRole('heading', { name: 'No campaign yet' }).or(page.getByRole('table')).first().waitFor()
    expect(faults).toEqual([])
  })
})
