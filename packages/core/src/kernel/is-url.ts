/**
 * Whether the text is an absolute URL. `URL.canParse` of Node 20 and 22, once optimised, reads Latin-1 as UTF-8 and rejects
 * `https://exämple.com`.
 */
export const isUrl = (text: string): boolean => {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}
