import type { Page } from 'playwright-core'
import { edited } from './edited.js'

/** The form, with a provider's widget. */
export const formWithWidget = (page: Page) =>
  edited(page, /^\/signup-forms\/\w+$/, (form) => ({
    ...form,
    captchaType: 'challenge',
    challengeSiteKey: '0x4AAAAAAAC3',
    challengeSecretKeyHint: '0x**…**Zq',
  }))

/** Views that a person has saved, one of them shown now. */
export const savedViews = (page: Page) =>
  edited(page, /^\/views$/, () => ({
    items: ['Letters', 'Sent to the wholesale list in the last quarter, for the meeting', 'Wholesale'].map(
      (name, at) => ({
        _id: `64b7f0c2a1b2c3d4e5f6071${at}`,
        page: 'campaigns',
        name,
        search: at === 0 ? 'find=letter' : `status=sent&find=${at}`,
      }),
    ),
  }))
