import { invalid } from '../kernel/refusal.js'

/** Where an image ends; undefined if it is corrupt. @throws RangeError if it is truncated */
type Walk = (view: DataView, bytes: Uint8Array) => number | undefined

const [IHDR, IDAT, IEND] = [0x49484452, 0x49444154, 0x49454e44]

/** PNG specification, section 5. */
const png: Walk = (view) => {
  let hasData = false
  for (let at = 8; ; ) {
    const [length, type] = [view.getUint32(at), view.getUint32(at + 4)]
    const next = at + length + 12
    view.getUint32(next - 4)
    if ((at === 8) !== (type === IHDR)) return undefined
    if (type === IHDR && (length !== 13 || view.getUint32(at + 8) === 0 || view.getUint32(at + 12) === 0))
      return undefined
    if (type === IDAT && length > 0) hasData = true
    if (type === IEND) return length === 0 && hasData ? next : undefined
    at = next
  }
}

const [SOI, EOI, SOS, TEM] = [0xd8, 0xd9, 0xda, 0x01]
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7
/** SOF0 to SOF15, except C4, C8 and CC, which are tables or reserved. */
const isFrame = (marker: number) => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** In entropy-coded data, FF is followed by 00, a restart marker or another FF. */
const afterScan = (view: DataView, bytes: Uint8Array, from: number): number | undefined => {
  for (let at = bytes.indexOf(0xff, from); at >= 0; ) {
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (marker === 0 || isRestart(marker)) at = bytes.indexOf(0xff, at + 2)
    else return at
  }
  return undefined
}

/** ITU-T T.81, annex B. */
const jpeg: Walk = (view, bytes) => {
  let hasFrame = false
  let hasScan = false
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) return undefined
    while (view.getUint8(at + 1) === 0xff) at += 1
    const marker = view.getUint8(at + 1)
    at += 2
    if (marker === EOI) return hasScan ? at : undefined
    if (marker === 0 || marker === SOI || marker === TEM || isRestart(marker)) return undefined
    const length = view.getUint16(at)
    if (length < 2) return undefined
    if (isFrame(marker)) {
      if (view.getUint16(at + 3) === 0 || view.getUint16(at + 5) === 0) return undefined
      hasFrame = true
    }
    at += length
    if (marker !== SOS) continue
    if (!hasFrame) return undefined
    const end = afterScan(view, bytes, at)
    if (end === undefined || end === at) return undefined
    hasScan = true
    at = end
  }
}

const [extension, descriptor, trailer] = [0x21, 0x2c, 0x3b]

/** Bytes of the colour table that a packed field declares. */
const colours = (packed: number) => (packed & 0x80 ? 3 * 2 ** ((packed & 7) + 1) : 0)

/** Each sub-block begins with its length; the last has length 0. */
const afterSubBlocks = (view: DataView, from: number): number => {
  let at = from
  for (let length = view.getUint8(at); length > 0; length = view.getUint8(at)) at += length + 1
  return at + 1
}

/** GIF89a specification. Some programs omit the trailer, and viewers tolerate it. */
const gif: Walk = (view, bytes) => {
  let hasImage = false
  for (let at = 13 + colours(view.getUint8(10)); ; ) {
    if (hasImage && at === bytes.length) return at
    const block = view.getUint8(at)
    if (block === trailer) return hasImage ? at + 1 : undefined
    if (block === extension) at = afterSubBlocks(view, at + 2)
    else if (block === descriptor) {
      if (view.getUint16(at + 5) === 0 || view.getUint16(at + 7) === 0) return undefined
      const data = at + 10 + colours(view.getUint8(at + 9))
      const codeSize = view.getUint8(data)
      if (codeSize < 1 || codeSize > 8 || view.getUint8(data + 1) === 0) return undefined
      hasImage = true
      at = afterSubBlocks(view, data + 1)
    } else return undefined
  }
}

/** The accepted types (spec, "Gallery rules"). */
export const imageTypes = {
  'image/jpeg': { extension: 'jpg', begins: ['\xff\xd8\xff'], walk: jpeg },
  'image/png': { extension: 'png', begins: ['\x89PNG\r\n\x1a\n'], walk: png },
  'image/gif': { extension: 'gif', begins: ['GIF87a', 'GIF89a'], walk: gif },
} as const satisfies Readonly<
  Record<string, { readonly extension: string; readonly begins: readonly string[]; readonly walk: Walk }>
>
export type ImageType = keyof typeof imageTypes

/** Without trailing data; undefined if incomplete. */
const trimmedImage = (type: ImageType, bytes: Uint8Array): Uint8Array | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const end = imageTypes[type].walk(view, bytes)
    return end === undefined ? undefined : bytes.subarray(0, end)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

const allowed = Object.keys(imageTypes) as readonly ImageType[]

/** Types named in refusals: `[type, offset, text]`. */
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

/** Markup, after anything that may precede its first element. */
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

/** The declared type, unless it is an accepted one, which the bytes have disproved. */
const declaredOr = (otherwise: string, declared: string) =>
  /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(declared) && !(allowed as readonly string[]).includes(declared)
    ? declared
    : otherwise

type CheckedImage = { readonly contentType: ImageType; readonly bytes: Uint8Array }

/**
 * Detects the type from the bytes, not the declaration (gaps.md, "Gallery"). Cuts data after the image's end: phones
 * append data, and attackers a page or an archive.
 * @throws Refusal `invalid` for another type and for a truncated image
 */
export const checkedImage = (bytes: Uint8Array, declared: string): CheckedImage => {
  const start = String.fromCharCode(...bytes.subarray(0, 1024))
  const contentType = allowed.find((one) => imageTypes[one].begins.some((text) => start.startsWith(text)))
  if (!contentType) {
    const named = sniffed(start) ?? declaredOr('application/octet-stream', declared)
    throw invalid(`Mime type '${named}' not allowed! Allowed mime types are: ${allowed.join(',')}`)
  }
  const image = trimmedImage(contentType, bytes)
  if (!image) throw invalid(`image: the ${contentType} is not complete`)
  return { contentType, bytes: image }
}
