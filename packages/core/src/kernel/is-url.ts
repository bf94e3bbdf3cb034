/** `URL.canParse` of Node 20 and 22, once optimised, wrongly rejects `https://exämple.com`. */
export const isUrl = (text: string): boolean => {
  try {
    return new URL(text).href !== ''
  } catch {
    return false
  }
}
