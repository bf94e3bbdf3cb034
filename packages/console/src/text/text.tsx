import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from 'react'
import { en, type Messages } from './en.js'
import { filled, type Values } from './filled.js'
import { type Language, languageNames, standardLanguage } from './language-names.js'

/** Each language but English is a file of its own, loaded when it is chosen. */
const loaders: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Messages>>> = {
  de: async () => (await import('./de.js')).de,
  fr: async () => (await import('./fr.js')).fr,
  es: async () => (await import('./es.js')).es,
  it: async () => (await import('./it.js')).it,
  nl: async () => (await import('./nl.js')).nl,
  pt: async () => (await import('./pt.js')).pt,
  pl: async () => (await import('./pl.js')).pl,
}

const isLanguage = (code: string): code is Language => Object.hasOwn(languageNames, code)

const storedAt = 'posthorn-language'

/** The choice in this browser, else the page's language, which the server took from the browser. */
const firstLanguage = (): Language => {
  const found = [localStorage.getItem(storedAt) ?? '', document.documentElement.lang].find(isLanguage)
  return found ?? standardLanguage
}

export type Say = (key: keyof Messages, values?: Values) => string

type Text = {
  readonly language: Language
  /** Of dates and times: as most of Europe reads them; the other languages bring their own habits. */
  readonly locale: string
  /** Kept in this browser if the person chose it. */
  readonly setLanguage: (language: Language, isChoice?: boolean) => void
  readonly say: Say
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
  const [shown, setShown] = useState<{ readonly language: Language; readonly messages: Messages } | undefined>(
    wanted === 'en' ? { language: 'en', messages: en } : undefined,
  )

  useEffect(() => {
    let isCurrent = true
    const show = (language: Language, messages: Messages) => {
      if (!isCurrent) return
      document.documentElement.lang = language
      setShown({ language, messages })
    }
    if (wanted === 'en') show('en', en)
    else
      loaders[wanted]().then(
        (messages) => show(wanted, messages),
        () => show('en', en),
      )
    return () => {
      isCurrent = false
    }
  }, [wanted])

  const text = useMemo<Text | undefined>(() => {
    if (!shown) return undefined
    const { language, messages } = shown
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
      say: (key, values = {}) => filled(messages[key], values, { number, category: (value) => rules.select(value) }),
      number,
      ...others,
    }
  }, [shown])

  return text ? <TextContext.Provider value={text}>{children}</TextContext.Provider> : null
}
