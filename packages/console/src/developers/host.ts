/** Of a URL; texts that are none stay as they are. */
export const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host || url : url)
