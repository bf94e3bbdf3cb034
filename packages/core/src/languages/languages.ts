import { z } from 'zod'
import { de } from './de.js'
import { en, type Messages } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { it } from './it.js'
import { nl } from './nl.js'
import { pl } from './pl.js'
import { pt } from './pt.js'

/** By ISO 639-1 code. */
export const languages = { en, de, fr, es, it, nl, pt, pl } as const satisfies Readonly<Record<string, Messages>>
export type Language = keyof typeof languages

const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code)

export const ProjectLanguage = z.enum(Object.keys(languages).filter(isLanguage))

export const standardLanguage: Language = 'en'

/** Of a BCP 47 tag such as `de-AT` or `pt_BR`; undefined if unsupported. */
export const languageOfTag = (tag: unknown): Language | undefined => {
  const code = typeof tag === 'string' ? (tag.trim().slice(0, 35).toLowerCase().split(/[-_]/, 1)[0] ?? '') : ''
  return isLanguage(code) ? code : undefined
}

/** An empty text or the English default is replaced by the message in the reader's language. */
export const translatedDefault = (language: Language, key: keyof Messages, text: string): string =>
  text.trim() === '' || text === languages.en[key] ? languages[language][key] : text

export const fillPlaceholders = (message: string, values: Readonly<Record<string, string | number>>): string =>
  message
    .split('{')
    .map((part, index) => {
      const end = part.indexOf('}')
      return index === 0 || end === -1 ? part : `${values[part.slice(0, end)] ?? ''}${part.slice(end + 1)}`
    })
    .join('')
