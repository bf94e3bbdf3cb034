import { z } from 'zod'
import { de } from './de.js'
import { en, type Messages } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { it } from './it.js'
import { nl } from './nl.js'
import { pl } from './pl.js'
import { pt } from './pt.js'

/** The languages of recipients' pages and signup forms, by their codes (ISO 639-1). Each is the file of its name. */
export const languages = { en, de, fr, es, it, nl, pt, pl } as const satisfies Readonly<Record<string, Messages>>
export type Language = keyof typeof languages

const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code)

/** As a project has it. */
export const ProjectLanguage = z.enum(Object.keys(languages).filter(isLanguage))

/** Where nobody has said which: that of those who have chosen none. */
export const standardLanguage: Language = 'en'

/** The language of a tag such as `de`, `de-AT` or `pt_BR` (BCP 47); undefined for one that there are no messages in. */
export const languageOf = (tag: unknown): Language | undefined => {
  const code = typeof tag === 'string' ? (tag.trim().slice(0, 35).toLowerCase().split(/[-_]/, 1)[0] ?? '') : ''
  return isLanguage(code) ? code : undefined
}

/** A text that a project may set: its own, or the reader's where it has none or that which all projects begin with. */
export const wordedFor = (language: Language, key: keyof Messages, text: string): string =>
  text.trim() === '' || text === languages.en[key] ? languages[language][key] : text

/** A message with its `{places}` filled. */
export const filled = (message: string, values: Readonly<Record<string, string | number>>): string =>
  message
    .split('{')
    .map((part, index) => {
      const end = part.indexOf('}')
      return index === 0 || end === -1 ? part : `${values[part.slice(0, end)] ?? ''}${part.slice(end + 1)}`
    })
    .join('')
