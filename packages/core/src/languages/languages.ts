import { z } from 'zod'
import { de } from './de.js'
import { en, type Messages } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { it } from './it.js'
import { nl } from './nl.js'
import { pl } from './pl.js'
import { pt } from './pt.js'

/** The languages of recipients' pages and signup forms, by ISO 639-1 code. Each has a file of that name. */
export const languages = { en, de, fr, es, it, nl, pt, pl } as const satisfies Readonly<Record<string, Messages>>
export type Language = keyof typeof languages

const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code)

/** The language that a project chooses. */
export const ProjectLanguage = z.enum(Object.keys(languages).filter(isLanguage))

/** The language of projects that have not chosen one. */
export const standardLanguage: Language = 'en'

/** The language of a BCP 47 tag such as `de`, `de-AT` or `pt_BR`; undefined if there are no messages in it. */
export const languageOf = (tag: unknown): Language | undefined => {
  const code = typeof tag === 'string' ? (tag.trim().slice(0, 35).toLowerCase().split(/[-_]/, 1)[0] ?? '') : ''
  return isLanguage(code) ? code : undefined
}

/** A text that a project may set. If it is empty or still the English default, the message in the reader's language replaces it. */
export const wordedFor = (language: Language, key: keyof Messages, text: string): string =>
  text.trim() === '' || text === languages.en[key] ? languages[language][key] : text

/** Fills the `{places}` of a message. */
export const filled = (message: string, values: Readonly<Record<string, string | number>>): string =>
  message
    .split('{')
    .map((part, index) => {
      const end = part.indexOf('}')
      return index === 0 || end === -1 ? part : `${values[part.slice(0, end)] ?? ''}${part.slice(end + 1)}`
    })
    .join('')
