import type { Page } from 'playwright-core'
import { edited } from './edited.js'

/** The project as its settings show it, with websites and a logo. */
export const settledProject = (page: Page): Promise<void> =>
  edited(page, /^$/, (is) => ({
    ...is,
    logoUrl: 'https://kestrel.example/logo.png',
    whiteList: ['shop.kestrel.example', 'kestrel.example', 'lesungen.hafenpost.example'],
    browserAccess: 'subscribe-only',
  }))

const stored = { roleArnHint: 'arn…n', region: 'eu-west-1', limit: 14 }

const notAllowed = {
  code: 'events-check-not-allowed',
  message:
    'The setup cannot be checked: allow ses:GetConfigurationSetEventDestinations and, on the topic posthorn-own-6650a1, sns:ListSubscriptionsByTopic to the role or key of cloudConfig.',
  values: {
    region: 'eu-west-1',
    configurationSet: 'posthorn-own-6650a1',
    eventsUrl: 'https://mail.kestrel.example/v1/ses/events',
  },
}

const refusals = [
  {
    field: 'senderIdentities',
    message:
      'news@kestrel.example is not verified in eu-west-1; add its domain to the identities of Amazon SES there, and the records that it names to DNS',
  },
  {
    field: 'limit',
    message:
      'the account sends at most 10 mails per second in eu-west-1; give no more, or request a higher sending quota at AWS',
  },
]

/** An own account that sends fewer mails than its rate says, and not from every sender. */
export const refusingAccount = async (page: Page): Promise<void> => {
  await edited(page, /^$/, (is) => ({ ...is, cloudConfig: stored }))
  const message = refusals.map((one) => `${one.field}: ${one.message}`).join('; ')
  const error = { name: 'VALIDATION_ERROR', message, violations: refusals }
  await page.route(/\/cloud-check$/, (route) => route.fulfill({ status: 400, json: { status: 400, error } }))
}

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
            warnings: [notAllowed.message],
            warningDetails: [notAllowed],
          },
        },
      }),
    )
  }
