import type { Page } from 'playwright-core'
import { edited } from './staged.js'

/** The project as its settings show it, with websites and a logo. */
export const settledProject = (page: Page): Promise<void> =>
  edited(page, /^$/, (is) => ({
    ...is,
    logoUrl: 'https://kestrel.example/logo.png',
    whiteList: ['shop.kestrel.example', 'kestrel.example', 'lesungen.hafenpost.example'],
    browserAccess: 'subscribe-only',
  }))

const stored = { roleArnHint: 'arn…n', region: 'eu-west-1', limit: 14 }

/** An own account whose credentials are stored, and that is used. */
export const ownAccount =
  (isUsed: boolean) =>
  async (page: Page): Promise<void> => {
    await edited(page, /^$/, (is) => ({ ...is, ...(isUsed && { status: 'byoCloudSes' }), cloudConfig: stored }))
    await page.route(/\/cloud-check$/, (route) =>
      route.fulfill({
        json: {
          status: 200,
          result: {
            success: true,
            warnings: [
              'The setup cannot be checked: allow ses:GetConfigurationSetEventDestinations and, on the topic posthorn-own-6650a1, sns:ListSubscriptionsByTopic to the role or key of cloudConfig.',
            ],
          },
        },
      }),
    )
  }
