/// <reference types="handlebars" preserve="true" />
/**
 * Marks for links that differ per mail. Noncharacters are reserved for internal use (Unicode 23.7); a template that
 * contains some is not marked.
 */

/** Links with a longer target stay untracked, in characters. */
export const longestTarget = 8_000

export const tokenMark = '\uFDD0'
const [occurrence, begin, end] = ['\uFDD1', '\uFDD2', '\uFDD3']
const zero = 0xfdd8
export const tagMaskCharacter = '\uFDEF'

const noncharacter = /[\uFDD0-\uFDEF]/
const marks = /(\uFDD0|\uFDD1[\uFDD8-\uFDE1]+\uFDD1|\uFDD2[\uFDD8-\uFDE1]+\uFDD2|\uFDD3)/

export const hasNoncharacters = (text: string): boolean => noncharacter.test(text)

const digitsOf = (n: number) => String.fromCharCode(...Array.from(String(n), (digit) => zero + Number(digit)))
const numberIn = (mark: string) => Number(Array.from(mark.slice(1, -1), (digit) => digit.charCodeAt(0) - zero).join(''))

/** The occurrence number of the link in the mail, for loops. */
export const linkOccurrenceMark = (link: number): string => occurrence + digitsOf(link) + occurrence
export const linkMarks = (link: number): readonly [begin: string, end: string] => [begin + digitsOf(link) + begin, end]

export type LinkPiece = {
  readonly link: number
  readonly texts: readonly string[]
  readonly values: readonly hbs.AST.Statement[]
}

export type PieceBetweenMarks =
  | string
  | { readonly occurrenceOf: number }
  | LinkPiece
  | { readonly statement: hbs.AST.Statement }

type OpenLink = { readonly link: number; readonly texts: string[]; readonly values: hbs.AST.Statement[] }

const isContent = (node: hbs.AST.Statement): node is hbs.AST.ContentStatement => node.type === 'ContentStatement'

export const piecesBetweenMarks = (body: readonly hbs.AST.Statement[]): readonly PieceBetweenMarks[] => {
  const pieces: PieceBetweenMarks[] = []
  let open: OpenLink | undefined

  const text = (value: string) => {
    if (value === '') return
    const last = pieces.at(-1)
    if (open) open.texts[open.texts.length - 1] += value
    else if (typeof last === 'string') pieces[pieces.length - 1] = last + value
    else pieces.push(value)
  }
  const mark = (value: string) => {
    if (value === tokenMark) text(value)
    else if (value === end) {
      if (open) pieces.push(open)
      open = undefined
    } else if (value.startsWith(begin)) open = { link: numberIn(value), texts: [''], values: [] }
    else pieces.push({ occurrenceOf: numberIn(value) })
  }

  for (const node of body) {
    if (isContent(node)) for (const [i, part] of node.value.split(marks).entries()) (i % 2 === 1 ? mark : text)(part)
    // A comment within a link counts as an empty value: values are matched by position.
    else if (open) {
      open.values.push(node)
      open.texts.push('')
    } else if (node.type !== 'CommentStatement') pieces.push({ statement: node })
  }
  return pieces
}

/** A link that does not end within the body is dropped. */
export const linksWithTemplateTags = ({ body }: hbs.AST.Program): readonly LinkPiece[] =>
  piecesBetweenMarks(body).flatMap((piece): readonly LinkPiece[] => {
    if (typeof piece === 'string' || 'occurrenceOf' in piece) return []
    if ('link' in piece) return [piece]
    const { program, inverse } = piece.statement as Partial<hbs.AST.BlockStatement>
    return [program, inverse].flatMap((inner) => (inner ? linksWithTemplateTags(inner) : []))
  })

export type MailTracker = {
  readonly token: string
  readonly begin: () => void
  readonly occurrence: (link: number) => number
  readonly link: (link: number, written: readonly string[]) => string
}

/** `written` alternates texts and values, starting and ending with a text. */
const key = Symbol('tracker')

export const templateContextWithTracker = <T extends object>(context: T, tracker: MailTracker): T =>
  Object.assign({}, context, { [key]: tracker })

export const trackerOfTemplateContext = (context: unknown): MailTracker | undefined =>
  (context as { readonly [key]?: MailTracker } | null | undefined)?.[key]
