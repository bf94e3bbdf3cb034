export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storedAt = 'posthorn-theme'

const isTheme = (text: string | null | undefined): text is Theme => themes.some((theme) => theme === text)

const show = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}

export const chosenTheme = (): Theme => {
  const stored = localStorage.getItem(storedAt)
  return isTheme(stored) ? stored : 'system'
}

export const chooseTheme = (theme: Theme): void => {
  localStorage.setItem(storedAt, theme)
  show(theme)
}

/** A theme chosen in this browser takes precedence. */
export const followTheme = (theme: string | undefined): void => {
  const stored = localStorage.getItem(storedAt)
  if (isTheme(stored)) show(stored)
  else if (isTheme(theme)) show(theme)
}
