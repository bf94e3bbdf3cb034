import { z } from 'zod'
import { Id, type InProject, Instant } from '../kernel/shapes.js'
import { DoubleOptIn } from './double-opt-in.js'

const look = z.string().max(500).optional()

/** How the list's own form looks (gaps.md, "Subscriber lists"). Replaced whole. */
export const ListSignupForm = z
  .strictObject({
    formLayout: look,
    showCaptcha: z.boolean().default(true).meta({ description: 'false is how a list disables the CAPTCHA' }),
    emailPlaceholder: look,
    captchaPlaceholder: look,
    formFontStyle: look,
    formFontColor: look,
    formFontSize: look,
    btnLabel: look,
    btnFont: look,
    btnFontColor: look,
    btnColor: look,
    btnFontSize: look,
    successMessage: look,
    successFont: look,
    successFontColor: look,
    successFontSize: look,
    propertiesStyle: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ListSignupForm' })

const standardDoubleOptIn = DoubleOptIn.parse({})
const standardForm = ListSignupForm.parse({})

export const SubscriberListFields = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    description: z.string().max(2000).default(''),
    private: z.boolean().default(false).meta({ description: 'Shown to nobody but those who are on it' }),
    doubleOptIn: DoubleOptIn.default(standardDoubleOptIn).meta({ description: 'Replaced whole' }),
    signupForm: ListSignupForm.default(standardForm).meta({ description: 'Replaced whole' }),
  })
  .meta({ id: 'SubscriberListFields' })

export const SubscriberListView = z
  .object({ _id: Id, ...SubscriberListFields.shape, createdAt: Instant, updatedAt: Instant })
  .meta({ id: 'SubscriberList', description: 'A list that contacts subscribe to' })
export type SubscriberListView = z.output<typeof SubscriberListView>

/** A list that contacts subscribe to (gaps.md, "Subscriber lists"). */
export type SubscriberList = InProject & z.output<typeof SubscriberListFields>
