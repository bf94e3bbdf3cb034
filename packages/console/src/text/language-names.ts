/** In their own language; the same languages as the core's pages and mails. */
export const languageNames = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  es: 'Español',
  it: 'Italiano',
  nl: 'Nederlands',
  pt: 'Português',
  pl: 'Polski',
} as const
export type Language = keyof typeof languageNames

export const standardLanguage: Language = 'en'
