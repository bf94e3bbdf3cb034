import { z } from 'zod'
import { changesSchemaOf } from '../kernel/merged.js'
import type { InputRule } from '../kernel/parsed.js'
import type { RecordReferenceMarks, ReferenceGuard } from '../kernel/references.js'
import { refusalOfViolations } from '../kernel/refusal.js'
import type { RecordLookup, Repository } from '../kernel/repository.js'
import { type InProject, Name, recordView, WebUrlOrNone } from '../kernel/shapes.js'
import { wrongFieldViolation } from '../kernel/violation.js'
import { languages } from '../languages/languages.js'
import type { EmailRecord } from '../mail/content.js'
import { variablesAndComponentsIn } from '../mail/merge-tags.js'
import { usesVariable } from '../mail/template/syntax.js'

/** Spec, "Signup form". An update replaces it as a whole. */
export const DoubleOptIn = z
  .strictObject({
    active: z.boolean().default(false).describe('Whether new subscribers are asked to confirm'),
    redirectLink: WebUrlOrNone.default('').describe('Where a visitor lands after the confirmation link'),
    emailId: z.string().default('').describe('Transactional email whose content includes {{verifyLink}}'),
    confirmationTitle: z
      .string()
      .max(300)
      .default(languages.en.confirmedTitle)
      .describe('Title of the page after confirming; unchanged or empty, it is in the reader’s language'),
    confirmationMessage: z
      .string()
      .max(2000)
      .default(languages.en.confirmed)
      .describe('Text of the page after confirming; unchanged or empty, it is in the reader’s language'),
  })
  .meta({ id: 'DoubleOptIn' })
export type DoubleOptIn = z.output<typeof DoubleOptIn>

export const mentionsVerifyLink = ({ type, document }: EmailRecord): boolean =>
  type === 'visual'
    ? variablesAndComponentsIn(document).usedVariables.includes('verifyLink')
    : typeof document === 'string' && usesVariable(document, 'verifyLink')

const withoutLink = wrongFieldViolation('doubleOptIn.emailId', 'the content of the email must include {{verifyLink}}')

/** Needs an email with the link; `writeWithDoubleOptInEmail` rejects other projects' emails. */
export const doubleOptInRule =
  (
    projectId: string,
    emails: RecordLookup<EmailRecord>,
  ): InputRule<{ readonly doubleOptIn?: DoubleOptIn | undefined }> =>
  async ({ doubleOptIn }) => {
    const { active, emailId } = doubleOptIn ?? {}
    if (!active || emailId === undefined) return []
    if (emailId === '')
      return [wrongFieldViolation('doubleOptIn.emailId', 'an active double opt-in needs a transactional email')]
    const email = await emails.get({ _id: emailId, projectId })
    return !email || mentionsVerifyLink(email) ? [] : [withoutLink]
  }

export type DoubleOptInEmailRepository = Repository<EmailRecord & RecordReferenceMarks>

/**
 * The email stays, with its link, during the write.
 * @throws Refusal `not-found`, `invalid` without the link
 */
export const writeWithDoubleOptInEmail =
  (emails: DoubleOptInEmailRepository, references: ReferenceGuard) =>
  <R>(projectId: string, doubleOptIn: DoubleOptIn | undefined, write: () => Promise<R>): Promise<R> => {
    const { active, emailId = '' } = doubleOptIn ?? {}
    const targets = emailId === '' ? [] : [{ repository: emails, _id: emailId, projectId }]
    return references.use(targets, async ([email]) => {
      if (active && email && !mentionsVerifyLink(email)) throw refusalOfViolations([withoutLink])
      return write()
    })
  }

const look = z.string().max(500).optional()

/** gaps.md, "Subscriber lists". An update replaces it as a whole. */
export const ListSignupForm = z
  .strictObject({
    formLayout: look.describe('How the fields stand to each other'),
    showCaptcha: z.boolean().default(true).describe('false is how a list disables the CAPTCHA'),
    emailPlaceholder: look.describe('Text in the empty field of the address'),
    captchaPlaceholder: look.describe('Text in the empty field of the CAPTCHA'),
    formFontStyle: look.describe('Font of the form'),
    formFontColor: look.describe('Colour of the form’s text'),
    formFontSize: look.describe('Size of the form’s text'),
    btnLabel: look.describe('Text of the button'),
    btnFont: look.describe('Font of the button'),
    btnFontColor: look.describe('Colour of the button’s text'),
    btnColor: look.describe('Colour of the button'),
    btnFontSize: look.describe('Size of the button’s text'),
    successMessage: look.describe('What is shown after subscribing'),
    successFont: look.describe('Font of that message'),
    successFontColor: look.describe('Colour of that message'),
    successFontSize: look.describe('Size of that message'),
    propertiesStyle: z.record(z.string(), z.unknown()).optional().describe('Style of the fields for properties'),
  })
  .meta({ id: 'ListSignupForm' })

const standardDoubleOptIn = DoubleOptIn.parse({})
const standardForm = ListSignupForm.parse({})

/** Fields that a client writes (gaps.md, "Subscriber lists"). */
export const SubscriberListFields = z
  .strictObject({
    name: Name.describe('What the list is called'),
    description: z.string().max(2000).default('').describe('What the list is about, for its subscribers'),
    private: z.boolean().default(false).describe('Shown to nobody but those who are on it'),
    doubleOptIn: DoubleOptIn.default(standardDoubleOptIn).describe('Replaced whole'),
    signupForm: ListSignupForm.default(standardForm).describe('Replaced whole'),
  })
  .meta({ id: 'SubscriberListFields' })
export type SubscriberListFields = z.input<typeof SubscriberListFields>

export const SubscriberListChanges = changesSchemaOf(SubscriberListFields).meta({ id: 'SubscriberListChanges' })
export type SubscriberListChanges = z.input<typeof SubscriberListChanges>

/** Public view of a list. */
export const SubscriberListView = recordView(SubscriberListFields.shape).meta({
  id: 'SubscriberList',
  description: 'A list that contacts subscribe to',
})
export type SubscriberListView = z.output<typeof SubscriberListView>

export type SubscriberList = InProject & RecordReferenceMarks & z.output<typeof SubscriberListFields>
