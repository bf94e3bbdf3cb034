import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { en, type Messages } from './en.js'
import { filled, isolated, type Values } from './filled.js'
import { type Language, languageNames, standardLanguage } from './language-names.js'
import { sayServer } from './server/en.js'

type Loaded = {
  readonly messages: Messages
  readonly sayServer: (sentence: string, shown: (value: string) => string) => string
}

const english: Loaded = { messages: en, sayServer }

/** Each language but English is a file of its own, loaded when it is chosen. */
const loaders: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Loaded>>> = {
  de: () => import('./de.js').then(({ de, sayServer }) => ({ messages: de, sayServer })),
  fr: () => import('./fr.js').then(({ fr, sayServer }) => ({ messages: fr, sayServer })),
  es: () => import('./es.js').then(({ es, sayServer }) => ({ messages: es, sayServer })),
  it: () => import('./it.js').then(({ it, sayServer }) => ({ messages: it, sayServer })),
  nl: () => import('./nl.js').then(({ nl, sayServer }) => ({ messages: nl, sayServer })),
  pt: () => import('./pt.js').then(({ pt, sayServer }) => ({ messages: pt, sayServer })),
  pl: () => import('./pl.js').then(({ pl, sayServer }) => ({ messages: pl, sayServer })),
}

const isLanguage = (code: string): code is Language => Object.hasOwn(languageNames, code)

const storedAt = 'posthorn-language'

/** The choice in this browser, else the page's language, which the server took from the browser. */
const firstLanguage = (): Language => {
  const found = [localStorage.getItem(storedAt) ?? '', document.documentElement.lang].find(isLanguage)
  return found ?? standardLanguage
}

export type Say = (key: keyof Messages, values?: Values) => string

export type Text = {
  readonly language: Language
  /** Of dates and times: as most of Europe reads them; the other languages bring their own habits. */
  readonly locale: string
  /** Kept in this browser if the person chose it. */
  readonly setLanguage: (language: Language, isChoice?: boolean) => void
  readonly say: Say
  /** Translates a sentence of the server’s English, such as why it refuses a value. */
  readonly sayServer: (sentence: string) => string
  readonly number: (value: number) => string
  /** 0.36 as 36 %. */
  readonly percent: (share: number, digits?: number) => string
  readonly dateTime: (instant: string | number, zone?: string) => string
  readonly date: (instant: string | number, zone?: string) => string
  readonly time: (instant: string | number, zone?: string) => string
  /** `2 minutes ago` */
  readonly since: (instant: string | number) => string
}

const TextContext = createContext<Text | undefined>(undefined)

export const useText = (): Text => {
  const text = useContext(TextContext)
  if (!text) throw new Error('Text is used outside TextProvider')
  return text
}

const localeOf = (language: Language): string => (language === 'en' ? 'en-GB' : language)

const formats = (chosen: Language) => {
  const language = localeOf(chosen)
  const number = new Intl.NumberFormat(language)
  const thisYear = new Date().getFullYear()
  const dateOf = (instant: string | number, zone: string | undefined, withTime: boolean) => {
    const at = new Date(instant)
    if (Number.isNaN(at.getTime())) return '–'
    return new Intl.DateTimeFormat(language, {
      day: 'numeric',
      month: 'short',
      ...(at.getFullYear() !== thisYear && { year: 'numeric' }),
      ...(withTime && { hour: '2-digit', minute: '2-digit' }),
      ...(zone !== undefined && { timeZone: zone }),
    }).format(at)
  }
  return {
    number: (value: number) => number.format(value),
    percent: (share: number, digits = 1) =>
      new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: digits }).format(share),
    dateTime: (instant: string | number, zone?: string) => dateOf(instant, zone, true),
    date: (instant: string | number, zone?: string) => dateOf(instant, zone, false),
    since: (instant: string | number) => {
      const minutes = Math.round((new Date(instant).getTime() - Date.now()) / 60_000)
      const [n, unit] = minutes > -60 ? ([minutes, 'minute'] as const) : ([Math.round(minutes / 60), 'hour'] as const)
      if (n < -23 && unit === 'hour') return dateOf(instant, undefined, true)
      return new Intl.RelativeTimeFormat(language, { numeric: 'always' }).format(Math.min(n, 0), unit)
    },
    time: (instant: string | number, zone?: string) => {
      const at = new Date(instant)
      if (Number.isNaN(at.getTime())) return '–'
      return new Intl.DateTimeFormat(language, {
        hour: '2-digit',
        minute: '2-digit',
        ...(zone !== undefined && { timeZone: zone }),
      }).format(at)
    },
  }
}

export const TextProvider = ({ children }: { readonly children: ReactNode }) => {
  const [wanted, setWanted] = useState<Language>(firstLanguage)
  const [shown, setShown] = useState<(Loaded & { readonly language: Language }) | undefined>(
    wanted === 'en' ? { language: 'en', ...english } : undefined,
  )

  useEffect(() => {
    let isCurrent = true
    const show = (language: Language, texts: Loaded) => {
      if (!isCurrent) return
      document.documentElement.lang = language
      setShown({ language, ...texts })
    }
    if (wanted === 'en') show('en', english)
    else
      loaders[wanted]().then(
        (texts) => show(wanted, texts),
        () => show('en', english),
      )
    return () => {
      isCurrent = false
    }
  }, [wanted])

  const text = useMemo<Text | undefined>(() => {
    if (!shown) return undefined
    const { language, messages, sayServer } = shown
    const rules = new Intl.PluralRules(language)
    const { number, ...others } = formats(language)
    return {
      language,
      locale: localeOf(language),
      setLanguage: (chosen, isChoice = true) => {
        if (isChoice) localStorage.setItem(storedAt, chosen)
        else if (localStorage.getItem(storedAt) !== null) return
        setWanted(chosen)
      },
      sayServer: (sentence) => sayServer(sentence, isolated),
      say: (key, values = {}) => filled(messages[key], values, { number, category: (value) => rules.select(value) }),
      number,
      ...others,
    }
  }, [shown])

  return text ? <TextContext.Provider value={text}>{children}</TextContext.Provider> : null
}
