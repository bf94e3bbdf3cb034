/*
 * What stands in a template where each mail has a link of its own: noncharacters, which are for the inside of a program and in no text
 * (Unicode 23.7). A template that has any of its own is not marked.
 */

/** The token of a mail. */
export const tokenMark = '\uFDD0'
const [occurrence, begin, end] = ['\uFDD1', '\uFDD2', '\uFDD3']
const zero = 0xfdd8
/** Stands for each character of a tag while HTML is looked through. */
export const maskCharacter = '\uFDEF'

const noncharacter = /[\uFDD0-\uFDEF]/
const marks = /(\uFDD0|\uFDD1[\uFDD8-\uFDE1]+\uFDD1|\uFDD2[\uFDD8-\uFDE1]+\uFDD2|\uFDD3)/

export const hasNoncharacters = (text: string): boolean => noncharacter.test(text)

const digitsOf = (n: number) => String.fromCharCode(...Array.from(String(n), (digit) => zero + Number(digit)))
const numberIn = (mark: string) => Number(Array.from(mark.slice(1, -1), (digit) => digit.charCodeAt(0) - zero).join(''))

/** How often the link has come up in a mail before: told apart where it stands in a loop. */
export const occurrenceMark = (link: number): string => occurrence + digitsOf(link) + occurrence
/** Around a link that has tags. */
export const linkMarks = (link: number): readonly [begin: string, end: string] => [begin + digitsOf(link) + begin, end]

/** A link with tags: texts, and between each two of them what writes a value. */
export type LinkPiece = {
  readonly link: number
  readonly texts: readonly string[]
  readonly values: readonly hbs.AST.Statement[]
}

/** What a program's body is, in order: texts, in which tokens may stand, what is written anew each time, and all its other statements. */
export type MarkedPiece =
  | string
  | { readonly occurrenceOf: number }
  | LinkPiece
  | { readonly statement: hbs.AST.Statement }

type OpenLink = { readonly link: number; readonly texts: string[]; readonly values: hbs.AST.Statement[] }

const isContent = (node: hbs.AST.Statement): node is hbs.AST.ContentStatement => node.type === 'ContentStatement'

/** The pieces of a body of a marked program. A link that has no end here is none. */
export const markedPieces = (body: readonly hbs.AST.Statement[]): readonly MarkedPiece[] => {
  const pieces: MarkedPiece[] = []
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
    // The place of a comment within a link is one of its values, which is empty: where the link leads goes by their number.
    else if (open) {
      open.values.push(node)
      open.texts.push('')
    } else if (node.type !== 'CommentStatement') pieces.push({ statement: node })
  }
  return pieces
}

/** All links with tags of a marked program, in blocks, too. */
export const linksWithTags = ({ body }: hbs.AST.Program): readonly LinkPiece[] =>
  markedPieces(body).flatMap((piece): readonly LinkPiece[] => {
    if (typeof piece === 'string' || 'occurrenceOf' in piece) return []
    if ('link' in piece) return [piece]
    const { program, inverse } = piece.statement as Partial<hbs.AST.BlockStatement>
    return [program, inverse].flatMap((inner) => (inner ? linksWithTags(inner) : []))
  })

/** What one mail writes at the marks. */
export type MailTracker = {
  readonly token: string
  /** A mail is rendered, from its beginning. */
  readonly begin: () => void
  /** The mark's link comes up again: how often it has by now. */
  readonly occurrence: (link: number) => number
  /** The link that is written for these texts and values by turns; the texts come first and last. */
  readonly link: (link: number, written: readonly string[]) => string
}

/** A name in a template's context that no template can say. */
const key = Symbol('tracker')

export const withTracker = <T extends object>(context: T, tracker: MailTracker): T =>
  Object.assign({}, context, { [key]: tracker })

export const trackerIn = (context: unknown): MailTracker | undefined =>
  (context as { readonly [key]?: MailTracker } | null | undefined)?.[key]
