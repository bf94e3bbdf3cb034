import type { FieldType } from '@posthorn/core/ports/storage'

export type TemplateLanguage = 'go' | 'merge-tags' | 'handlebars' | 'mailjet' | 'liquid'

/** A construct that has no equal here, by its position in the original. */
export type UntranslatableConstruct = {
  readonly line: number
  readonly column: number
  readonly construct: string
  readonly reason: string
}

export type TranslatedTemplate = { readonly text: string; readonly problems: readonly UntranslatableConstruct[] }

export type KnownField = { readonly name: string; readonly type: FieldType }

export type FieldOfExportName = (name: string) => KnownField | undefined

class Untranslatable extends Error {}

/** @throws Untranslatable */
export const untranslatable = (reason: string): never => {
  throw new Untranslatable(reason)
}

/** `tag` is called for each match, in order. It ends by `untranslatable` where nothing here is equal. */
export type Dialect = {
  readonly pattern: RegExp
  readonly tag: (match: RegExpExecArray) => string
  readonly open?: () => readonly string[]
}

export type TemplateDialectForFields = (fieldOf: FieldOfExportName) => Dialect

const [shownConstruct, mostProblems] = [120, 50]

/** Positions of ascending offsets, in one pass. */
const positions = (source: string) => {
  let [line, lineStart, at] = [1, 0, 0]
  return (offset: number) => {
    for (let next = source.indexOf('\n', at); next >= 0 && next < offset; next = source.indexOf('\n', at)) {
      line += 1
      at = next + 1
      lineStart = at
    }
    return { line, column: offset - lineStart + 1 }
  }
}

/** Text between tags stays as it is. Translates constructs that exist here, too, and names all others. */
export const translateTemplate = (source: string, { pattern, tag, open }: Dialect): TranslatedTemplate => {
  const positionOf = positions(source)
  const parts: string[] = []
  const problems: UntranslatableConstruct[] = []
  let at = 0
  for (const match of source.matchAll(pattern)) {
    const [construct] = match
    parts.push(source.slice(at, match.index))
    at = match.index + construct.length
    try {
      parts.push(tag(match))
    } catch (error) {
      if (!(error instanceof Untranslatable)) throw error
      if (problems.length >= mostProblems) continue
      const shown = construct.slice(0, shownConstruct)
      problems.push({ ...positionOf(match.index), construct: shown, reason: error.message })
    }
  }
  parts.push(source.slice(at))
  for (const construct of open?.() ?? [])
    problems.push({ ...positionOf(source.length), construct, reason: 'The block is not closed.' })
  return { text: parts.join(''), problems }
}

export const unknownTagReason = 'Posthorn has nothing like it.'

/** A text as Handlebars writes it, which cannot have both kinds of quotes. */
export const quotedHandlebarsText = (text: string, otherwise = unknownTagReason): string => {
  if (/[\\\n\r]/.test(text)) return untranslatable(otherwise)
  if (!text.includes('"')) return `"${text}"`
  return text.includes("'") ? untranslatable(otherwise) : `'${text}'`
}

/** Undefined if the text is not quoted. */
export const withoutQuotationMarks = (text: string): string | undefined => {
  const [sign = '', inner] = [text[0], text.slice(1, -1)]
  const isQuoted = text.length > 1 && (sign === '"' || sign === "'") && text.endsWith(sign)
  return isQuoted && !inner.includes(sign) && !inner.includes('\\') ? inner : undefined
}

/** Names that mean something else here. */
const reserved = new Set(['contact', 'design', 'this', 'unsubscribeLink', 'pauseSubscriptionLink', 'verifyLink'])

/** A path into the data of the request, unless it would mean something else here. */
export const templateDataPath = (path: string): string =>
  /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(path) && !reserved.has(path.split('.')[0] ?? '')
    ? path
    : untranslatable('The name means something else in Posthorn.')

export const unknownExportFieldReason = (name: string) => `No contact of the export has a field ${name}.`

/** Open blocks, by the names that they have here. */
export const openBlockStack = () => {
  const stack: string[] = []
  const close = () => stack.pop() ?? untranslatable('No block is open here.')
  return {
    enter: (name: string): void => void stack.push(name),
    /** Returns the name of the block. */
    close,
    end: (): string => `{{/${close()}}}`,
    otherwise: (): string => (stack.length > 0 ? '{{else}}' : untranslatable('No block is open here.')),
    open: (): readonly string[] => stack.map((name) => `{{#${name}}}`),
  }
}
