import { type Html, html } from '../kernel/html.js'
import type { Messages } from '../languages/en.js'
import { type Language, languages } from '../languages/languages.js'

type FormKey = Extract<keyof Messages, `form${string}`>

/** The texts of forms, by language; the visitor's browser chooses one (`embedScript`). */
export const formTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  Object.entries(languages).map(([code, messages]) => [
    code,
    Object.fromEntries(Object.entries(messages).filter(([key]) => key.startsWith('form'))),
  ]),
)

/** A text of a form: plain, as HTML that the script can translate, and as a placeholder that it can translate. */
export type FormText = { readonly text: string; readonly shown: Html; readonly placeholder: Html }

/** A text that the form sets itself; the script does not translate it. */
export const ownText = (text: string): FormText => ({
  text,
  shown: html`${text}`,
  placeholder: html`placeholder="${text || ' '}"`,
})

/** The texts of a form, in the given language until the script knows the visitor's. */
export const formWords = (language: Language) => {
  const messages = languages[language]
  const standard = (key: FormKey): FormText => ({
    text: messages[key],
    shown: html`<span data-ph-say="${key}">${messages[key]}</span>`,
    placeholder: html`placeholder="${messages[key]}" data-ph-placeholder="${key}"`,
  })
  return {
    standard,
    /** The form's own text, unless it equals the default text. */
    of: (key: FormKey, text: string): FormText => (text === languages.en[key] ? standard(key) : ownText(text)),
    /** Attributes with a translatable text, for elements without visible text. */
    label: (key: FormKey, ...names: readonly ('alt' | 'aria-label' | 'title')[]): Html =>
      html`${names.map((name) => html`${name}="${messages[key]}" `)}data-ph-label="${key}"`,
  }
}
export type FormWords = ReturnType<typeof formWords>
