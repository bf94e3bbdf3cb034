import { z } from 'zod'
import type { CustomField, FieldType } from '../contacts/custom-field.js'
import { changesSchemaOf, merged, without } from '../kernel/merged.js'
import type { Secrets } from '../kernel/ports.js'
import { versionedChangesSchemaOf } from '../kernel/project-resource.js'
import { Count, Id, type InProject, Name, recordView, WebUrlOrNone } from '../kernel/shapes.js'
import { languages } from '../languages/languages.js'
import { DoubleOptIn } from '../lists/subscriber-list.js'

const colour = /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|[a-z]{3,30}|(?:rgb|hsl)a?\([\d\s.,%/deg]{5,60}\))?$/i
const size = /^(?:\d{1,3}(?:\.\d{1,3})?(?:px|pt|em|rem|%)?)?$/
/** Control characters, punctuation except `-` and `_`, blanks except the space. The rest is letters and digits. */
const others = '\\x00-\\x1f!-,./:-@\\[-^`{-\\xa0'
const family = `(?:"[^${others}]+"|'[^${others}]+'|[^ ${others}][^${others}]*)`
const blanks = '[ \\t\\n\\r\\f\\v]*'
/** Each blank matches in one way only: no backtracking. */
const font = new RegExp(`^(?:${blanks}${family}(?:,${blanks}${family})*)?$`, 'u')

/** May stand in a stylesheet unescaped: no match can end a declaration, a rule or the sheet. */
const safe = (pattern: RegExp, expected: string, standard: string, description: string) =>
  z.string().max(200).regex(pattern, expected).default(standard).describe(`${description}; an empty one is ${standard}`)

export const Colour = (standard: string) =>
  safe(colour, 'expected a CSS colour: #rrggbb, a name, rgb() or hsl()', standard, 'A CSS colour')
const FontSize = (standard: string) =>
  safe(size, 'expected a size in px, pt, em, rem or %', standard, 'A CSS font size; a bare number counts as px')
const FontFamily = (standard: string) =>
  safe(font, 'expected font families, separated by commas', standard, 'CSS font families')

/** Escaped where it is shown. */
const Wording = (standard: string, max = 300) => z.string().max(max).default(standard)

/** Visitors see a text that equals its English default in their own language. */
const { en } = languages

const standardFont = 'system-ui, sans-serif'
const ink = '#1d2430'

const captchaTypes = ['none', 'svg', 'challenge'] as const
type CaptchaType = (typeof captchaTypes)[number]

export const TermsAndConditions = z
  .strictObject({
    show: z.boolean().default(false).describe('Shown terms have to be accepted'),
    label: Wording(en.formTerms).describe('Stands before the link'),
    linkLabel: Wording(en.formTermsLink).describe('The words of the link'),
    link: WebUrlOrNone.default('').describe('Without one, the words are no link'),
  })
  .meta({ id: 'TermsAndConditions' })

const standardTerms = TermsAndConditions.parse({})

export const PropertyStyle = z
  .strictObject({
    show: z.boolean().default(true).describe('Whether the property is asked for'),
    required: z
      .boolean()
      .default(false)
      .describe('A shown property that has to be filled in; a boolean one has to be true'),
    placeholder: Wording('').describe('Its label, too; without one, the name of the field is'),
    order: z.number().default(0).describe('The smallest comes first; properties of one order by their name'),
  })
  .meta({ id: 'PropertyStyle' })
export type PropertyStyle = z.output<typeof PropertyStyle>

const shown = {
  name: Name.describe('What the form is called'),
  subscriberListIds: z
    .array(z.string())
    .max(100)
    .overwrite((ids) => [...new Set(ids)])
    .default([])
    .describe('Lists of the project that the form subscribes to; one that is removed is passed over'),
  formLayout: Wording('vertical').describe(
    '`horizontal` sets the fields side by side where there is room; anything else one below the other',
  ),
  showCaptcha: z.boolean().default(true).describe('Counts only while there is no captchaType'),
  captchaType: z
    .enum(captchaTypes)
    .optional()
    .describe(
      'Absent: svg, unless showCaptcha is false. `challenge` is recommended: without a challengeSiteKey and a challengeSecretKey, a proof of work that the visitor’s browser does by itself; with both, the Turnstile-style widget of a provider',
    ),
  challengeSiteKey: z
    .string()
    .max(500)
    .default('')
    .describe('Site key of the challenge’s provider; without a provider, empty'),
  challengeTheme: z.enum(['light', 'dark', 'auto']).default('auto').describe('Colours of the challenge’s widget'),
  challengeSize: z
    .enum(['normal', 'compact', 'flexible'])
    .default('flexible')
    .describe('Size of the challenge’s widget'),
  challengeAppearance: z
    .enum(['always', 'execute', 'interaction-only'])
    .default('always')
    .describe('When the challenge’s widget is seen'),
  emailPlaceholder: Wording(en.formEmail).describe('Text in the empty field of the address'),
  captchaPlaceholder: Wording(en.formCaptcha).describe('Text in the empty field of the CAPTCHA'),
  formFontStyle: FontFamily(standardFont),
  formFontColor: Colour(ink),
  formFontSize: FontSize('16px'),
  btnLabel: Wording(en.formSubscribe).describe('Text of the button'),
  btnFont: FontFamily(standardFont),
  btnFontColor: Colour('#ffffff'),
  btnColor: Colour('#1f5fa8'),
  btnFontSize: FontSize('16px'),
  successMessage: Wording(en.formSuccess, 2000).describe('What is shown after submitting'),
  successFont: FontFamily(standardFont),
  successFontColor: Colour('#17663c'),
  successFontSize: FontSize('18px'),
  redirectLink: WebUrlOrNone.default('').describe('Where a visitor lands right after submitting'),
  termsAndConditions: TermsAndConditions.default(standardTerms).describe('PATCH merges it key by key'),
  propertiesStyle: z
    .record(z.string(), PropertyStyle)
    .default({})
    .describe('Keyed by the API name of a custom field, or by `name`. Replaced whole'),
}

/** Spec, "Signup form". */
export const SignupFormFields = z
  .strictObject({
    ...shown,
    challengeSecretKey: z
      .string()
      .max(500)
      .optional()
      .describe('Write-only, encrypted at rest; an empty string removes it'),
    doubleOptIn: DoubleOptIn.default(DoubleOptIn.parse({})).describe(
      'Replaced whole: what is left out gets its default. Without the `_id` that is read back',
    ),
  })
  .meta({ id: 'SignupFormFields' })
export type SignupFormFields = z.input<typeof SignupFormFields>

export const SignupFormChanges = versionedChangesSchemaOf(SignupFormFields)
  .extend({
    termsAndConditions: changesSchemaOf(TermsAndConditions)
      .nullable()
      .optional()
      .describe('Merged key by key; null brings back the defaults'),
  })
  .meta({ id: 'SignupFormChanges' })
export type SignupFormChanges = z.input<typeof SignupFormChanges>

/** For sorting and filtering; of the secret key only the hint. */
export const SignupFormShape = recordView({
  ...shown,
  challengeSecretKeyHint: z.string().optional().describe('Present while a challengeSecretKey is set'),
  doubleOptIn: z.object({ _id: Id, ...DoubleOptIn.shape }).meta({ id: 'SignupFormDoubleOptIn' }),
})

/** The captcha secret only as a hint. */
export const SignupFormView = SignupFormShape.extend({
  warnings: z
    .array(z.string())
    .optional()
    .describe('Why visitors get no confirmation: an email of a double opt-in was deleted; only where one form is read'),
}).meta({ id: 'SignupForm', description: 'A form with which visitors of a website subscribe' })
export type SignupFormView = z.output<typeof SignupFormView>

export const SignupFormFigures = z
  .object({
    active: Count,
    unverified: Count.describe('Asked to confirm, who have not'),
    paused: Count,
    unsubscribed: Count,
  })
  .describe('Subscriptions that came by the form, by what they are now')
export type SignupFormFigures = z.output<typeof SignupFormFigures>

/** The secret key is sealed, its hint beside it. */
export type SignupForm = InProject &
  Omit<z.output<typeof SignupFormFields>, 'doubleOptIn'> & {
    readonly challengeSecretKeyHint?: string
    readonly doubleOptIn: DoubleOptIn & { readonly _id: string }
  }

/** `captchaType` overrides `showCaptcha`. The provider's widget if the form has its key, else a proof of work (gaps.md, "Signup forms"). */
export const captchaOf = ({
  captchaType,
  showCaptcha,
  challengeSiteKey,
  challengeSecretKey,
}: Pick<SignupForm, 'captchaType' | 'showCaptcha' | 'challengeSiteKey' | 'challengeSecretKey'>):
  | Exclude<CaptchaType, 'challenge'>
  | 'widget'
  | 'proof-of-work' => {
  const type = captchaType ?? (showCaptcha ? 'svg' : 'none')
  if (type !== 'challenge') return type
  return challengeSiteKey !== '' || challengeSecretKey !== undefined ? 'widget' : 'proof-of-work'
}

const shortestToHint = 8

/** First and last two characters; none of a short secret. */
const hintOf = (secret: string): string =>
  secret.length < shortestToHint ? '**…**' : `${secret.slice(0, 2)}**…**${secret.slice(-2)}`

export const withChallengeSecretKey = (
  form: SignupForm,
  secret: string,
  secrets: Pick<Secrets, 'seal'>,
): SignupForm => {
  const bare = without(form, 'challengeSecretKey', 'challengeSecretKeyHint')
  return secret === ''
    ? bare
    : { ...bare, challengeSecretKey: secrets.seal(secret), challengeSecretKeyHint: hintOf(secret) }
}

export const changedTerms = (
  current: SignupForm['termsAndConditions'],
  given: z.output<typeof SignupFormChanges>['termsAndConditions'],
): SignupForm['termsAndConditions'] => (given === null ? standardTerms : merged(current, given ?? {}))

export type FormProperty = PropertyStyle & { readonly name: string; readonly type: FieldType }

export const shownFormProperties = (
  { propertiesStyle }: Pick<SignupForm, 'propertiesStyle'>,
  fields: readonly CustomField[],
): readonly FormProperty[] => {
  const types = new Map<string, FieldType>([
    ['name', 'string'],
    ...fields.map(({ name, type }) => [name, type] as const),
  ])
  return Object.entries(propertiesStyle)
    .flatMap(([name, style]) => {
      const type = types.get(name)
      return type && style.show ? [{ ...style, name, type }] : []
    })
    .sort((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1))
}
