export type Token =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'comment'; readonly text: string }
  | {
      readonly kind: 'open'
      readonly name: string
      readonly attributes: Readonly<Record<string, string>>
      readonly isEmpty: boolean
      readonly end: number
    }
  | { readonly kind: 'close'; readonly name: string; readonly start: number }

const nameStart = /[a-z]/i
const nameEnd = /[\s/>]/

/** Index behind a merge tag that begins here, else `at`. */
const behindTag = (source: string, at: number): number => {
  if (!source.startsWith('{{', at)) return at
  const end = source.indexOf('}}', at)
  return end === -1 ? at : source[end + 2] === '}' ? end + 3 : end + 2
}

/** HTML or MJML, in one pass. Merge tags may stand in values, with quotes of their own. */
export function* tokensOf(source: string, from = 0): Generator<Token> {
  let at = from
  let text = from
  const textBefore = (end: number): readonly Token[] =>
    end > text ? [{ kind: 'text', text: source.slice(text, end) }] : []
  while (at < source.length) {
    const behind = behindTag(source, at)
    if (behind > at) {
      at = behind
      continue
    }
    if (source[at] !== '<') {
      at += 1
      continue
    }
    const begin = at
    if (source.startsWith('<!--', at)) {
      const end = source.indexOf('-->', at)
      yield* textBefore(begin)
      at = text = end === -1 ? source.length : end + 3
      yield { kind: 'comment', text: source.slice(begin, at) }
      continue
    }
    const isClosing = source[at + 1] === '/'
    let end = at + (isClosing ? 2 : 1)
    if (!nameStart.test(source[end] ?? '')) {
      at += 1
      continue
    }
    const nameFrom = end
    while (end < source.length && !nameEnd.test(source[end] ?? '')) end += 1
    const name = source.slice(nameFrom, end).toLowerCase()
    yield* textBefore(begin)
    if (isClosing) {
      const close = source.indexOf('>', end)
      at = text = close === -1 ? source.length : close + 1
      yield { kind: 'close', name, start: begin }
      continue
    }
    const attributes: Record<string, string> = {}
    let isEmpty = false
    at = end
    while (at < source.length && source[at] !== '>') {
      if (/[\s/]/.test(source[at] ?? '')) {
        isEmpty = source[at] === '/'
        at += 1
        continue
      }
      const from = at
      while (at < source.length && !/[\s=/>]/.test(source[at] ?? '')) at = Math.max(at + 1, behindTag(source, at))
      const attribute = source.slice(from, at).toLowerCase()
      let value = ''
      if (source[at] === '=') {
        at += 1
        const quote = source[at] === '"' || source[at] === "'" ? source[at] : undefined
        if (quote !== undefined) at += 1
        const valueFrom = at
        while (at < source.length && (quote === undefined ? !/[\s>]/.test(source[at] ?? '') : source[at] !== quote))
          at = Math.max(at + 1, behindTag(source, at))
        value = source.slice(valueFrom, at)
        if (quote !== undefined) at += 1
      }
      isEmpty = false
      Object.defineProperty(attributes, attribute, { value, enumerable: true, configurable: true, writable: true })
    }
    at = text = Math.min(at + 1, source.length)
    yield { kind: 'open', name, attributes, isEmpty, end: at }
  }
  yield* textBefore(source.length)
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** Unknown entities stay as they are. */
export const decoded = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,5}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? (entities[name] as string) : whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

const signs: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\u00a0': '&nbsp;',
}

const tags = /(\{\{\{?[^{}]*\}?\}\})/

/** Escapes HTML, except in merge tags. */
const escapedBy = (pattern: RegExp) => (text: string) =>
  text
    .split(tags)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(pattern, (sign) => signs[sign] ?? sign)))
    .join('')

export const escapedText = escapedBy(/[&<>\u00a0]/g)
export const escapedValue = escapedBy(/[&<"]/g)
export const escapedQuotes = escapedBy(/[<"]/g)
