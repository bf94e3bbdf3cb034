/** Types that cannot contain scripts; SVG can. */
export const safeImageTypes: ReadonlySet<string> = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
])

export type InlineImage = { readonly contentId: string; readonly contentType: string; readonly bytes: Uint8Array }

/** Styles and embedded images: no scripts, forms, remote content (images on request), or access to the surrounding page. */
export const messageFramePolicy = (remoteImages: boolean): string =>
  [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${remoteImages ? ' https: http:' : ''}`,
    'font-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    'sandbox allow-popups allow-popups-to-escape-sandbox',
  ].join('; ')

/** Scans each character once, as the mail may be hostile. */
const tagsOf = function* (html: string): Generator<string> {
  for (let from = html.indexOf('<'); from >= 0; ) {
    const end = html.indexOf('>', from)
    if (end < 0) return
    yield html.slice(from, end + 1)
    from = html.indexOf('<', end)
  }
}

const loads = /^<(?:img|source|table|td|th|body|div|video|input)\b/i
const remoteAttribute = /\s(?:src|srcset|background|poster)\s*=\s*(?:["']\s*)?(?:https?:)?\/\//i
const remoteStyle = /url\(\s*(?:["']\s*)?(?:https?:)?\/\//i

export const hasRemoteContent = (html: string): boolean => {
  for (const tag of tagsOf(html)) if (loads.test(tag) && remoteAttribute.test(tag)) return true
  return remoteStyle.test(html)
}

const dataAddress = ({ contentType, bytes }: InlineImage) =>
  `data:${contentType};base64,${Buffer.from(bytes).toString('base64')}`

const newWindow = '<base target="_blank">'

/** Links open in a new window; embedded images are inlined. */
export const framedMessageHtml = (html: string, images: readonly InlineImage[]): string => {
  const byId = new Map(images.filter((one) => safeImageTypes.has(one.contentType)).map((one) => [one.contentId, one]))
  const shown = html.replaceAll(/\bcid:([^"'\s)>]+)/gi, (address, id: string) => {
    const image = byId.get(id) ?? byId.get(decoded(id))
    return image ? dataAddress(image) : address
  })
  const start = shown.search(/<head\b/i)
  const end = start < 0 ? -1 : shown.indexOf('>', start)
  return end < 0 ? newWindow + shown : shown.slice(0, end + 1) + newWindow + shown.slice(end + 1)
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
