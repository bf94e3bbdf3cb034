import type { CustomField } from '../contacts/custom-field.js'
import { Html, html } from '../kernel/html.js'
import type { Secrets } from '../kernel/ports.js'
import type { Messages } from '../languages/en.js'
import { type Language, languages, standardLanguage } from '../languages/languages.js'
import { embedScript, inputPrefix } from './embed-script.js'
import { captchaOf, type FormProperty, type SignupForm, SignupFormFields, shownFormProperties } from './signup-form.js'

type FormKey = Extract<keyof Messages, `form${string}`>

/** By language; the browser chooses (`embedScript`). */
export const formTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  Object.entries(languages).map(([code, messages]) => [
    code,
    Object.fromEntries(Object.entries(messages).filter(([key]) => key.startsWith('form'))),
  ]),
)

/** Plain, and as HTML and placeholder that the script can translate. */
type FormText = { readonly text: string; readonly shown: Html; readonly placeholder: Html }

/** Set by the form: the script does not translate it. */
const customFormText = (text: string): FormText => ({
  text,
  shown: html`${text}`,
  placeholder: html`placeholder="${text || ' '}"`,
})

/** In the given language until the script knows the visitor’s. */
const formWords = (language: Language) => {
  const messages = languages[language]
  const standard = (key: FormKey): FormText => ({
    text: messages[key],
    shown: html`<span data-ph-say="${key}">${messages[key]}</span>`,
    placeholder: html`placeholder="${messages[key]}" data-ph-placeholder="${key}"`,
  })
  return {
    standard,
    of: (key: FormKey, text: string): FormText => (text === languages.en[key] ? standard(key) : customFormText(text)),
    label: (key: FormKey, ...names: readonly ('alt' | 'aria-label' | 'title')[]): Html =>
      html`${names.map((name) => html`${name}="${messages[key]}" `)}data-ph-label="${key}"`,
  }
}
type FormWords = ReturnType<typeof formWords>

const variables = {
  font: 'formFontStyle',
  size: 'formFontSize',
  ink: 'formFontColor',
  accent: 'btnColor',
  'on-accent': 'btnFontColor',
  'button-font': 'btnFont',
  'button-size': 'btnFontSize',
  'done-ink': 'successFontColor',
  'done-font': 'successFont',
  'done-size': 'successFontSize',
} as const satisfies Readonly<Record<string, keyof SignupForm>>
type StyleField = (typeof variables)[keyof typeof variables]

const standard = SignupFormFields.parse({ name: 'standard' })

/** Invalid values become the default: no other text enters the stylesheet. */
const css = (form: SignupForm, field: StyleField): string => {
  const { data } = SignupFormFields.shape[field].safeParse(form[field])
  const value = data || standard[field]
  return /^[\d.]+$/.test(value) ? `${value}px` : value
}

const layout = `
.ph, .ph *, .ph ::before { box-sizing: border-box }
.ph { margin: 0 auto; padding: 1rem; max-width: 28rem; color: var(--ph-ink); font-family: var(--ph-font); font-size: var(--ph-size); line-height: 1.5; text-align: start }
.ph[data-layout=horizontal] { max-width: 44rem }
.ph form { display: flex; flex-wrap: wrap; gap: .9em; margin: 0 }
.ph form > * { flex: 1 1 100%; min-width: 0 }
.ph[data-layout=horizontal] .ph-field { flex: 1 1 14em }
.ph [hidden] { display: none }
.ph-field { position: relative }
.ph-field input { display: block; width: 100%; min-height: 3.4em; margin: 0; padding: 1.45em .9em .35em; font: inherit; font-size: max(16px, 1em); color: inherit; background: transparent; border: 1px solid color-mix(in srgb, var(--ph-ink) 58%, transparent); border-radius: .55em; appearance: none }
.ph-field input::placeholder { color: transparent }
.ph-field label { position: absolute; left: .95em; right: .95em; top: 0; line-height: 3.4em; font-size: max(16px, 1em); overflow: hidden; white-space: nowrap; text-overflow: ellipsis; pointer-events: none; color: color-mix(in srgb, var(--ph-ink) 78%, transparent); transform-origin: 0 0; transition: transform .12s ease-out }
.ph-field input:not(:placeholder-shown) + label, .ph-field input:focus + label, .ph-field input:autofill + label, .ph-field input[type=date] + label { transform: translateY(-.1em) scale(.76); line-height: 2.2em }
.ph-check { display: flex; gap: .7em; align-items: start; overflow-wrap: anywhere }
.ph-check input { flex: none; width: 1.3em; height: 1.3em; margin: .1em 0; accent-color: var(--ph-accent) }
.ph-check a { color: inherit }
.ph-captcha { display: flex; flex-wrap: wrap; gap: .6em; align-items: center }
.ph-captcha .ph-field { flex: 1 1 14em }
.ph-captcha img { display: block; flex: 1 1 200px; min-width: 0; max-width: 262px; height: auto; aspect-ratio: 260 / 80; background: #fff; border-radius: .55em; border: 1px solid color-mix(in srgb, var(--ph-ink) 20%, transparent) }
.ph-captcha img:not([src]) { visibility: hidden }
.ph button { font-family: var(--ph-button-font); font-size: var(--ph-button-size); font-weight: 600; min-height: 3em; padding: .6em 1.4em; color: var(--ph-on-accent); background: var(--ph-accent); border: 1px solid transparent; border-radius: .55em; cursor: pointer; overflow-wrap: anywhere }
.ph button:hover { filter: brightness(.93) }
.ph button[aria-disabled=true] { opacity: .6; cursor: progress }
.ph button.ph-again { flex: none; display: grid; place-items: center; width: 44px; min-height: 44px; padding: 0; color: inherit; background: transparent; border-color: color-mix(in srgb, var(--ph-ink) 30%, transparent) }
.ph-again svg { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round }
.ph-alert { margin: 0; padding: .7em .9em; color: #7d1a14; background: #fdecea; border-left: 4px solid #b3261e; border-radius: .35em; overflow-wrap: anywhere }
.ph-alert:empty { display: none }
.ph-check-line { margin: 0; min-height: 1.5em; font-size: .85em; text-align: center; color: color-mix(in srgb, var(--ph-ink) 78%, transparent) }
.ph-done { margin: 0; padding: 1.2em .5em; text-align: center; white-space: pre-line; overflow-wrap: anywhere; color: var(--ph-done-ink); font-family: var(--ph-done-font); font-size: var(--ph-done-size) }
.ph-done::before { content: "✓"; display: grid; place-items: center; width: 2.4em; height: 2.4em; margin: 0 auto .7em; border: 2px solid; border-radius: 50%; font-weight: 700 }
.ph :focus-visible { outline: 3px solid var(--ph-accent); outline-offset: 2px }
.ph-done:focus { outline: none }
@media (prefers-reduced-motion: reduce) { .ph-field label { transition: none } }
`

/** Selectors begin with `.ph`: the surrounding page is not affected. */
const embedStyle = (form: SignupForm): Html => {
  const declarations = Object.entries(variables).map(([name, field]) => `--ph-${name}: ${css(form, field)}`)
  return new Html(`.ph { ${declarations.join('; ')} }${layout}`)
}

export type EmbedSettings = {
  readonly publicUrl: string
  readonly challengeScriptUrl: string
}

/** No character can begin a tag or end a line of JavaScript. */
const jsonIn = (value: unknown): Html =>
  new Html(
    JSON.stringify(value).replace(
      /[<>&\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    ),
  )

/** `favoriteColor` → `Favorite color`. */
const spelledOut = (name: string): string => {
  const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const attributesOf = ({ name, type }: Pick<FormProperty, 'name' | 'type'>): Html => {
  if (name === 'name') return html`type="text" autocomplete="name" maxlength="300"`
  if (type === 'number') return html`type="number" step="any" inputmode="decimal"`
  return type === 'date' ? html`type="date"` : html`type="text" maxlength="5000"`
}

/** Prefixed: a bare `action` would hide the form’s property (HTML, "named access"). */
const inputName = (name: string) => `${inputPrefix}${name}`

/** Its label stays visible when the visitor types. */
const field = (id: string, name: string, label: FormText, attributes: Html, mark: Html | false = false): Html =>
  html`<div class="ph-field"><input id="${id}" name="${inputName(name)}" ${label.placeholder} ${attributes}><label for="${id}">${label.shown}${mark}</label></div>`

const star = html`<span aria-hidden="true"> *</span>`

const propertyField = (prefix: string, property: FormProperty): Html => {
  const { name, type, required, placeholder } = property
  const id = `${prefix}-${name}`
  const label = placeholder || spelledOut(name)
  if (type === 'boolean')
    return html`<label class="ph-check"><input id="${id}" name="${inputName(name)}" type="checkbox"${required && html` required`}><span>${label}${required && star}</span></label>`
  return field(
    id,
    name,
    customFormText(label),
    html`${attributesOf(property)}${required && html` required`}`,
    required && star,
  )
}

const termsField = ({ termsAndConditions: terms }: SignupForm, words: FormWords): Html | false => {
  const [label, linkLabel] = [
    words.of('formTerms', terms.label).shown,
    words.of('formTermsLink', terms.linkLabel).shown,
  ]
  return (
    terms.show &&
    html`<label class="ph-check"><input name="${inputName('termsAccepted')}" type="checkbox" required><span>${label} ${terms.link === '' ? linkLabel : html`<a href="${terms.link}" target="_blank" rel="noopener">${linkLabel}</a>`}</span></label>`
  )
}

const againIcon = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M20 11a8 8 0 1 0-2.3 6.3M20 4v7h-7"/></svg>`

const svgCaptcha = (prefix: string, form: SignupForm, words: FormWords, sample?: string): Html =>
  html`<div class="ph-captcha"><img data-ph="image"${sample !== undefined && html` src="data:image/svg+xml,${encodeURIComponent(sample)}"`} width="260" height="80" ${words.label('formCaptchaImage', 'alt')}>
<button class="ph-again" data-ph="again" type="button" ${words.label('formCaptchaAgain', 'aria-label', 'title')}>${againIcon}</button>
${field(
  `${prefix}-captcha`,
  'captchaText',
  words.of('formCaptcha', form.captchaPlaceholder),
  html`data-ph="solution" type="text" required autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="100"`,
)}</div>`

const widget = ({ challengeSiteKey, challengeTheme, challengeSize, challengeAppearance }: SignupForm): Html =>
  html`<div class="cf-turnstile" data-sitekey="${challengeSiteKey}" data-theme="${challengeTheme}" data-size="${challengeSize}" data-appearance="${challengeAppearance}" data-response-field-name="${inputName('challengeToken')}"></div>`

const captchaField = (prefix: string, form: SignupForm, words: FormWords, sample?: string): Html | false => {
  const captcha = captchaOf(form)
  if (captcha === 'svg') return svgCaptcha(prefix, form, words, sample)
  return captcha === 'widget' && widget(form)
}

/** Always present: the layout does not move, and screen readers announce it. */
const checkLine = html`<p class="ph-check-line" data-ph="check" role="status"></p>`

const base64 = (hexadecimal: string) =>
  btoa((hexadecimal.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(''))

/** The thanks of a form say that a mail is to be confirmed, unless the project has words of its own. */
const doneText = ({ successMessage }: SignupForm, asksToConfirm: boolean, words: FormWords): Html =>
  asksToConfirm && successMessage === languages.en.formSuccess
    ? words.standard('formSuccessConfirm').shown
    : words.of('formSuccess', successMessage).shown

/** What a page needs beside the form: settings for the script, and the widget of a provider. */
type Page = Pick<EmbedSettings, 'challengeScriptUrl'> & {
  /** By the double opt-in of the form, or of one of its lists. */
  readonly asksToConfirm: boolean
  readonly language: Language
  /** For requests: absolute, or a path of the page's own server. */
  readonly base: string
  /** The script keeps the language instead of taking the browser's. */
  readonly isFixed?: boolean
  readonly email?: string
  /** SVG of a CAPTCHA, for pages that run no script. */
  readonly sample?: string
  /** Without the note for browsers that run no script: a preview runs none. */
  readonly isPreview?: boolean
}

const providerOf = (form: SignupForm, { challengeScriptUrl }: Pick<EmbedSettings, 'challengeScriptUrl'>) =>
  captchaOf(form) === 'widget' ? new URL(challengeScriptUrl).origin : undefined

const formParts = (form: SignupForm, fields: readonly CustomField[], page: Page): Html => {
  const { base, language, isFixed = false, challengeScriptUrl, sample, email, asksToConfirm, isPreview = false } = page
  const prefix = `ph-${form._id}`
  const words = formWords(language)
  return html`<form data-ph="form" method="dialog" aria-label="${form.name}">
${field(`${prefix}-email`, 'email', words.of('formEmail', form.emailPlaceholder), html`type="email" autocomplete="email" required maxlength="254"${email !== undefined && html` value="${email}"`}`)}
${shownFormProperties(form, fields).map((property) => propertyField(prefix, property))}
${termsField(form, words)}
${captchaField(prefix, form, words, sample)}
<p class="ph-alert" data-ph="alert" role="alert"></p>
<button data-ph="button" type="submit">${words.of('formSubscribe', form.btnLabel).shown}</button>
${captchaOf(form) === 'proof-of-work' && checkLine}
</form>
<p class="ph-done" data-ph="done" role="status" tabindex="-1" hidden>${doneText(form, asksToConfirm, words)}</p>
${!isPreview && html`<noscript>${words.standard('formNoScript').text}</noscript>`}
${providerOf(form, page) !== undefined && html`<script src="${challengeScriptUrl}" async defer></script>`}
<script type="application/json" data-ph="settings">${jsonIn({ base, id: form._id, language, ...(isFixed && { isFixed }), texts: formTexts })}</script>`
}

/** The form on a page of this server, whose policy names `provider` and permits embedded images. */
export type FormPage = {
  readonly title: string
  readonly style: Html
  readonly content: Html
  readonly script: Html
  readonly provider: string | undefined
}

export const formPage = (form: SignupForm, fields: readonly CustomField[], page: Page): FormPage => ({
  title: form.name,
  style: embedStyle(form),
  content: html`<div class="ph" data-layout="${form.formLayout}">${formParts(form, fields, page)}</div>`,
  script: new Html(embedScript),
  provider: providerOf(form, page),
})

export const formDonePage = (
  form: SignupForm,
  { asksToConfirm, language }: Pick<Page, 'asksToConfirm' | 'language'>,
): Pick<FormPage, 'style' | 'content'> => ({
  style: embedStyle(form),
  content: html`<div class="ph"><p class="ph-done">${doneText(form, asksToConfirm, formWords(language))}</p></div>`,
})

/** Allows this script and the provider’s, embedded images, and calls to this server. */
const policyOf = (publicUrl: string, provider: string | undefined, secrets: Pick<Secrets, 'digest'>): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    'img-src data:',
    `connect-src ${new URL(publicUrl).origin}`,
    `script-src 'sha256-${base64(secrets.digest(embedScript))}'${provider ? ` ${provider}` : ''}`,
    ...(provider ? [`frame-src ${provider}`] : []),
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ')

/**
 * For a page of a whitelisted Origin. Values are escaped or match a strict pattern; the policy allows only its script.
 */
export const embeddedFormHtml = (
  form: SignupForm,
  fields: readonly CustomField[],
  {
    publicUrl,
    challengeScriptUrl,
    language = standardLanguage,
    asksToConfirm,
  }: EmbedSettings & Pick<Page, 'asksToConfirm'> & { readonly language?: Language },
  secrets: Pick<Secrets, 'digest'>,
): string => {
  const provider = providerOf(form, { challengeScriptUrl })
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policyOf(publicUrl, provider, secrets)}">
<title>${form.name}</title>
</head>
<body>
<div class="ph" data-layout="${form.formLayout}">
<style>${embedStyle(form)}</style>
${formParts(form, fields, { challengeScriptUrl, language, base: publicUrl, asksToConfirm })}
<script>${new Html(embedScript)}</script>
</div>
</body>
</html>
`.text
}
