import type { Page } from 'playwright-core'
import { edited } from './staged.js'

/** The form, with a provider's widget. */
export const formWithWidget = (page: Page) =>
  edited(page, /^\/signup-forms\/\w+$/, (form) => ({
    ...form,
    captchaType: 'challenge',
    challengeSiteKey: '0x4AAAAAAAC3',
    challengeSecretKeyHint: '0x**…**Zq',
  }))
