import { z } from 'zod'
import { changesOf } from '../kernel/merged.js'
import type { Referable } from '../kernel/references.js'
import { Id, type InProject, Instant, Name } from '../kernel/shapes.js'
import { DoubleOptIn } from './double-opt-in.js'

const look = z.string().max(500).optional()

/** Appearance of the list's own form (gaps.md, "Subscriber lists"). An update replaces it as a whole. */
export const ListSignupForm = z
  .strictObject({
    formLayout: look.meta({ description: 'How the fields stand to each other' }),
    showCaptcha: z.boolean().default(true).meta({ description: 'false is how a list disables the CAPTCHA' }),
    emailPlaceholder: look.meta({ description: 'Text in the empty field of the address' }),
    captchaPlaceholder: look.meta({ description: 'Text in the empty field of the CAPTCHA' }),
    formFontStyle: look.meta({ description: 'Font of the form' }),
    formFontColor: look.meta({ description: 'Colour of the form’s text' }),
    formFontSize: look.meta({ description: 'Size of the form’s text' }),
    btnLabel: look.meta({ description: 'Text of the button' }),
    btnFont: look.meta({ description: 'Font of the button' }),
    btnFontColor: look.meta({ description: 'Colour of the button’s text' }),
    btnColor: look.meta({ description: 'Colour of the button' }),
    btnFontSize: look.meta({ description: 'Size of the button’s text' }),
    successMessage: look.meta({ description: 'What is shown after subscribing' }),
    successFont: look.meta({ description: 'Font of that message' }),
    successFontColor: look.meta({ description: 'Colour of that message' }),
    successFontSize: look.meta({ description: 'Size of that message' }),
    propertiesStyle: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'Style of the fields for properties' }),
  })
  .meta({ id: 'ListSignupForm' })

const standardDoubleOptIn = DoubleOptIn.parse({})
const standardForm = ListSignupForm.parse({})

/** Fields that a client writes (gaps.md, "Subscriber lists"). */
export const SubscriberListFields = z
  .strictObject({
    name: Name.meta({ description: 'What the list is called' }),
    description: z.string().max(2000).default('').meta({ description: 'What the list is about, for its subscribers' }),
    private: z.boolean().default(false).meta({ description: 'Shown to nobody but those who are on it' }),
    doubleOptIn: DoubleOptIn.default(standardDoubleOptIn).meta({ description: 'Replaced whole' }),
    signupForm: ListSignupForm.default(standardForm).meta({ description: 'Replaced whole' }),
  })
  .meta({ id: 'SubscriberListFields' })
export type SubscriberListFields = z.input<typeof SubscriberListFields>

export const SubscriberListChanges = changesOf(SubscriberListFields).meta({ id: 'SubscriberListChanges' })
export type SubscriberListChanges = z.input<typeof SubscriberListChanges>

/** Public view of a list. */
export const SubscriberListView = z
  .object({ _id: Id, ...SubscriberListFields.shape, createdAt: Instant, updatedAt: Instant })
  .meta({ id: 'SubscriberList', description: 'A list that contacts subscribe to' })
export type SubscriberListView = z.output<typeof SubscriberListView>

/** A list that contacts subscribe to (gaps.md, "Subscriber lists"). */
export type SubscriberList = InProject & Referable & z.output<typeof SubscriberListFields>
