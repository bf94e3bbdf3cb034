import type { CustomField } from '../contacts/custom-field.js'
import { Html, html } from '../kernel/html.js'
import type { Secrets } from '../kernel/ports.js'
import { type Language, standardLanguage } from '../languages/languages.js'
import { embedScript, inputPrefix } from './embed-script.js'
import { embedStyle } from './embed-style.js'
import { type FormText, type FormWords, formTexts, formWords, ownText } from './embed-texts.js'
import { type Property, propertiesOf } from './properties.js'
import { captchaOf, type SignupForm } from './signup-form.js'

export type EmbedSettings = {
  readonly publicUrl: string
  /** The script of the challenge's widget; it renders every `.cf-turnstile` itself. */
  readonly challengeScriptUrl: string
}

/** JSON for a script element: no character in it can begin a tag or end a line of JavaScript. */
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

const attributesOf = ({ name, type }: Pick<Property, 'name' | 'type'>): Html => {
  if (name === 'name') return html`type="text" autocomplete="name" maxlength="300"`
  if (type === 'number') return html`type="number" step="any" inputmode="decimal"`
  return type === 'date' ? html`type="date"` : html`type="text" maxlength="5000"`
}

/** The input's name, with a prefix: a bare `action` or `elements` would hide the form's property of that name (HTML, "named access"). */
const inputName = (name: string) => `${inputPrefix}${name}`

/** An input whose placeholder is its label; the label stays visible when the visitor types. */
const field = (id: string, name: string, label: FormText, attributes: Html, mark: Html | false = false): Html =>
  html`<div class="ph-field"><input id="${id}" name="${inputName(name)}" ${label.placeholder} ${attributes}><label for="${id}">${label.shown}${mark}</label></div>`

const star = html`<span aria-hidden="true"> *</span>`

const propertyField = (prefix: string, property: Property): Html => {
  const { name, type, required, placeholder } = property
  const id = `${prefix}-${name}`
  const label = placeholder || spelledOut(name)
  if (type === 'boolean')
    return html`<label class="ph-check"><input id="${id}" name="${inputName(name)}" type="checkbox"${required && html` required`}><span>${label}${required && star}</span></label>`
  return field(
    id,
    name,
    ownText(label),
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

const svgCaptcha = (prefix: string, form: SignupForm, words: FormWords): Html =>
  html`<div class="ph-captcha"><img data-ph="image" width="260" height="80" ${words.label('formCaptchaImage', 'alt')}>
<button class="ph-again" data-ph="again" type="button" ${words.label('formCaptchaAgain', 'aria-label', 'title')}>${againIcon}</button>
${field(
  `${prefix}-captcha`,
  'captchaText',
  words.of('formCaptcha', form.captchaPlaceholder),
  html`data-ph="solution" type="text" required autocomplete="off" autocapitalize="off" spellcheck="false" maxlength="100"`,
)}</div>`

const widget = ({ challengeSiteKey, challengeTheme, challengeSize, challengeAppearance }: SignupForm): Html =>
  html`<div class="cf-turnstile" data-sitekey="${challengeSiteKey}" data-theme="${challengeTheme}" data-size="${challengeSize}" data-appearance="${challengeAppearance}" data-response-field-name="${inputName('challengeToken')}"></div>`

const captchaField = (prefix: string, form: SignupForm, words: FormWords): Html | false => {
  const captcha = captchaOf(form)
  if (captcha === 'svg') return svgCaptcha(prefix, form, words)
  return captcha === 'widget' && widget(form)
}

/**
 * The line where the script reports the progress of its proof of work. It always exists, so that the layout does not move and screen
 * readers announce it.
 */
const checkLine = html`<p class="ph-check-line" data-ph="check" role="status"></p>`

const base64 = (hexadecimal: string) =>
  btoa((hexadecimal.match(/../g) ?? []).map((byte) => String.fromCharCode(Number.parseInt(byte, 16))).join(''))

/** The file's content security policy: it may run this script and the provider's, show embedded images, and call this server. */
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
 * The form as one HTML file, to be served on a page of a whitelisted Origin. Every value of the form is escaped as text or matches a strict
 * pattern, and the policy allows only its own script. Texts that the project did not change appear in the browser's language, else in the
 * project's.
 */
export const embed = (
  form: SignupForm,
  fields: readonly CustomField[],
  { publicUrl, challengeScriptUrl, language = standardLanguage }: EmbedSettings & { readonly language?: Language },
  secrets: Pick<Secrets, 'digest'>,
): string => {
  const prefix = `ph-${form._id}`
  const words = formWords(language)
  const captcha = captchaOf(form)
  const provider = captcha === 'widget' ? new URL(challengeScriptUrl).origin : undefined
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
<form data-ph="form" method="dialog" aria-label="${form.name}">
${field(`${prefix}-email`, 'email', words.of('formEmail', form.emailPlaceholder), html`type="email" autocomplete="email" required maxlength="254"`)}
${propertiesOf(form, fields).map((property) => propertyField(prefix, property))}
${termsField(form, words)}
${captchaField(prefix, form, words)}
<p class="ph-alert" data-ph="alert" role="alert"></p>
<button data-ph="button" type="submit">${words.of('formSubscribe', form.btnLabel).shown}</button>
${captcha === 'proof-of-work' && checkLine}
</form>
<p class="ph-done" data-ph="done" role="status" tabindex="-1" hidden>${words.of('formSuccess', form.successMessage).shown}</p>
<noscript>${words.standard('formNoScript').text}</noscript>
${provider !== undefined && html`<script src="${challengeScriptUrl}" async defer></script>`}
<script type="application/json" data-ph="settings">${jsonIn({ base: publicUrl, id: form._id, language, texts: formTexts })}</script>
<script>${new Html(embedScript)}</script>
</div>
</body>
</html>
`.text
}
