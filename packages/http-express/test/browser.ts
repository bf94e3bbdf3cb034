import { appendFileSync, existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { describe, inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A file. Each line is a method and a path of the console's API that a page called. */
    readonly walked?: string
  }
}

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const isMissing = !existsSync(executablePath)

/** Calls of the console's API that its pages make and that are not refused. */
const recordCalls = (browser: Browser, file: string): void => {
  const record = (method: string, url: string) => {
    const { pathname } = new URL(url)
    if (pathname.includes('/console/api/')) appendFileSync(file, `${method} ${pathname}\n`)
  }
  browser.on('context', (context) => {
    context.on('response', (response) => response.ok() && record(response.request().method(), response.url()))
    // Chromium does not report the response to a link that downloads.
    context.on('page', (page) => page.on('download', (download) => record('GET', download.url())))
  })
}

/** A real browser, for which every host below example.com is this machine. */
export const aBrowser = async (): Promise<Browser> => {
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--host-resolver-rules=MAP *.example.com 127.0.0.1'],
  })
  const file = inject('walked')
  if (file !== undefined) recordCalls(browser, file)
  return browser
}

/** What a real browser shows. Without one it is skipped by a name that says so; where CI is true it fails. */
export const describeInBrowser = (name: string, tests: () => void): void => {
  const lack = isMissing ? ` (there is no browser at ${executablePath})` : ''
  describe.skipIf(isMissing && process.env.CI !== 'true')(`${name}${lack}`, () => {
    tests()
  })
}
