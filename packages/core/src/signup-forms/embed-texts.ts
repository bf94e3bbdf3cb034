import { type Html, html } from '../kernel/html.js'
import type { Messages } from '../languages/en.js'
import { type Language, languages } from '../languages/languages.js'

type FormKey = Extract<keyof Messages, `form${string}`>

/** What forms say, by language: the visitor's browser chooses (`embedScript`). */
export const formTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  Object.entries(languages).map(([code, messages]) => [
    code,
    Object.fromEntries(Object.entries(messages).filter(([key]) => key.startsWith('form'))),
  ]),
)

/** A text of a form: as a text, as HTML that the script can say otherwise, and as a placeholder that it can. */
export type FormText = { readonly text: string; readonly shown: Html; readonly placeholder: Html }

/** A text that is the form's own, which nobody says otherwise. */
export const ownText = (text: string): FormText => ({
  text,
  shown: html`${text}`,
  placeholder: html`placeholder="${text || ' '}"`,
})

/** The texts of a form that is in that language until the visitor's is known. */
export const formWords = (language: Language) => {
  const messages = languages[language]
  const standard = (key: FormKey): FormText => ({
    text: messages[key],
    shown: html`<span data-ph-say="${key}">${messages[key]}</span>`,
    placeholder: html`placeholder="${messages[key]}" data-ph-placeholder="${key}"`,
  })
  return {
    standard,
    /** The form's own text, unless it is the one that all forms begin with. */
    of: (key: FormKey, text: string): FormText => (text === languages.en[key] ? standard(key) : ownText(text)),
    /** Attributes that say what has no text. */
    label: (key: FormKey, ...names: readonly ('alt' | 'aria-label' | 'title')[]): Html =>
      html`${names.map((name) => html`${name}="${messages[key]}" `)}data-ph-label="${key}"`,
  }
}
export type FormWords = ReturnType<typeof formWords>
