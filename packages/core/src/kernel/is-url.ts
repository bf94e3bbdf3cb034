/**
 * Whether the text is an absolute URL. Once it is compiled, `URL.canParse` of Node 20 and 22 takes Latin-1 for UTF-8 and says no to
 * `https://exämple.com`.
 */
export const isUrl = (text: string): boolean => {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}
