import { Html } from '../kernel/html.js'
import { type SignupForm, SignupFormFields } from './signup-form.js'

/** The stylesheet's variables, each with the form field that sets it. */
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

/** The value as CSS. An empty or invalid value becomes the default, so that nothing else gets into the stylesheet. */
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

/** The form's stylesheet. Every selector begins with `.ph`, so that it does not affect the page around the form. */
export const embedStyle = (form: SignupForm): Html => {
  const declarations = Object.entries(variables).map(([name, field]) => `--ph-${name}: ${css(form, field)}`)
  return new Html(`.ph { ${declarations.join('; ')} }${layout}`)
}
