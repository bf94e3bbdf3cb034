import { invalid } from '../kernel/refusal.js'
import { type ImageType, imageTypes, imageWithin } from './image-structure.js'

const allowed = Object.keys(imageTypes) as readonly ImageType[]

/** Types named in refusals, recognised by their first bytes: `[type, offset, text]`. */
const signatures: readonly (readonly [type: string, offset: number, text: string])[] = [
  ['image/webp', 8, 'WEBP'],
  ['image/avif', 4, 'ftypavi'],
  ['image/heic', 4, 'ftyphei'],
  ['image/heic', 4, 'ftypmif1'],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['image/bmp', 0, 'BM'],
  ['application/pdf', 0, '%PDF-'],
  ['application/zip', 0, 'PK\x03\x04'],
]

/** Markup, recognised after anything that may precede its first element. */
const markup: readonly (readonly [type: string, begins: RegExp])[] = [
  ['image/svg+xml', /^<svg[\s/>]/i],
  ['text/html', /^<(?:!doctype html|html|head|body|script|style|title|meta|iframe|img|a|p|div)\b/i],
  ['text/xml', /^<\?xml\b/i],
]
const ahead = /^(?:\s+|<\?xml[^>]*>|<!--[\s\S]*?-->|<!doctype (?!html)[^>]*>)/i

const withoutAhead = (text: string): string => {
  let rest = text.replace(/^\xef\xbb\xbf/, '')
  for (let match = ahead.exec(rest); match; match = ahead.exec(rest)) rest = rest.slice(match[0].length)
  return rest
}

const sniffed = (start: string): string | undefined =>
  signatures.find(([, offset, text]) => start.startsWith(text, offset))?.[0] ??
  markup.find(([, begins]) => begins.test(withoutAhead(start)) || begins.test(start))?.[0]

/** The content type that the client declared, if the bytes are unknown and it is not an accepted type, which the bytes have disproved. */
const declaredOr = (otherwise: string, declared: string) =>
  /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(declared) && !(allowed as readonly string[]).includes(declared)
    ? declared
    : otherwise

/** An image as stored. */
export type CheckedImage = { readonly contentType: ImageType; readonly bytes: Uint8Array }

/**
 * Detects the type from the bytes and ignores the one that the client declared (gaps.md, "Gallery"). Cuts data after the image's own end:
 * phones append their own data, and an attacker who wants a file of two types appends a page or an archive.
 * @throws Refusal `invalid` for another type, which it names, and for a truncated image
 */
export const checkedImage = (bytes: Uint8Array, declared: string): CheckedImage => {
  const start = String.fromCharCode(...bytes.subarray(0, 1024))
  const contentType = allowed.find((one) => imageTypes[one].begins.some((text) => start.startsWith(text)))
  if (!contentType) {
    const named = sniffed(start) ?? declaredOr('application/octet-stream', declared)
    throw invalid(`Mime type '${named}' not allowed! Allowed mime types are: ${allowed.join(',')}`)
  }
  const image = imageWithin(contentType, bytes)
  if (!image) throw invalid(`image: the ${contentType} is not complete`)
  return { contentType, bytes: image }
}
