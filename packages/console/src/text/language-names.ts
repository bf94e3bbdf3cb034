/** Each in its own language; the same as the core's. */
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
