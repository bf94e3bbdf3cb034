import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import { describe } from 'vitest'

const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const isMissing = !existsSync(executablePath)

/** A real browser, for which every host below example.com is this machine. */
export const aBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--host-resolver-rules=MAP *.example.com 127.0.0.1'],
  })

/** What a real browser shows. Without one it is skipped by a name that says so; where CI is true it fails. */
export const describeInBrowser = (name: string, tests: () => void): void => {
  const lack = isMissing ? ` (there is no browser at ${executablePath})` : ''
  describe.skipIf(isMissing && process.env.CI !== 'true')(`${name}${lack}`, () => {
    tests()
  })
}
