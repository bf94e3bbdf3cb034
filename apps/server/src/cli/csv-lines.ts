import { createReadStream } from 'node:fs'

const lineEnd = /\r\n|\n|\r/

/** No row of a table of contacts is longer, and memory stays small whatever a file holds. In characters. */
export const longestRow = 1_048_576

/**
 * The lines of a file as it is read, many at a time, without their ends; the byte order mark is not part of the first. What a line has
 * beyond `longestRow` may be missing.
 */
export const linesOf = async function* (
  path: string,
  encoding: string,
  bytesRead: (bytes: number) => void,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder(encoding)
  let rest = ''
  /** The line was yielded already, because it is too long: all up to its end is passed over. */
  let isPassing = false
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    bytesRead(chunk.length)
    let text = rest + decoder.decode(chunk, { stream: true })
    if (isPassing) text = text.slice(/[\r\n]|$/.exec(text)?.index)
    // A return at the very end may be half of a line's end.
    const whole = text.endsWith('\r') ? text.length - 1 : text.length
    const lines = text.slice(0, whole).split(lineEnd)
    const last = lines.pop() ?? ''
    if (isPassing && lines.length > 0) {
      lines.shift()
      isPassing = false
    }
    const isLong = last.length > longestRow
    if (isLong) lines.push(last)
    rest = (isLong ? '' : last) + text.slice(whole)
    isPassing ||= isLong
    yield lines
  }
  if (isPassing) return
  const lines = (rest + decoder.decode()).split(lineEnd)
  if (lines.at(-1) === '') lines.pop()
  yield lines
}

/** Some lines that make one row: more than one where a quoted cell has line breaks. `problem` says why it cannot be read as one. */
export type Piece = { readonly line: number; readonly text: string; readonly problem?: string }

/** A cell with more line breaks than this is a quote that was never closed. */
const mostLines = 100

/** Of a row that is too long, what a person needs to find it. In characters. */
const shownOfLong = 1_000

export const unmatchedQuotes = 'The quotes of the row do not match.'

const quotesIn = (text: string) => text.split('"').length - 1

/**
 * Lines put together to rows by their quotes. Where a quote is never closed, its line alone is broken and reading goes on with the
 * next, so that one stray quote does not swallow the file.
 */
export const piecesOf = async function* (lines: AsyncIterable<readonly string[]>): AsyncGenerator<readonly Piece[]> {
  let open: string[] = []
  let [openLength, openQuotes] = [0, 0]
  let number = 0

  const closeOpen = (): readonly string[] => {
    const closed = open
    open = []
    openLength = 0
    openQuotes = 0
    return closed
  }

  /** Gives the first of the open lines up, and reads the others anew. */
  const givenUp = (): Piece[] => {
    const [text = '', ...others] = closeOpen()
    const line = number - others.length
    return [
      { line, text, problem: unmatchedQuotes },
      ...others.flatMap((other, index) => taken(other, line + 1 + index)),
    ]
  }

  const taken = (text: string, line: number): Piece[] => {
    if (open.length === 0 && text.trim() === '') return []
    if (text.length > longestRow) {
      const problem = `The row has more than ${longestRow} characters.`
      return [{ line, text: text.slice(0, shownOfLong), problem }]
    }
    if (open.length === 0 && !text.includes('"')) return [{ line, text }]
    open.push(text)
    openLength += text.length
    openQuotes += quotesIn(text)
    if (openQuotes % 2 !== 0) return []
    const row = closeOpen()
    return [{ line: line - row.length + 1, text: row.join('\n') }]
  }

  for await (const some of lines) {
    const pieces: Piece[] = []
    for (const text of some) {
      if (text.length > longestRow) while (open.length > 0) pieces.push(...givenUp())
      number += 1
      pieces.push(...taken(text, number))
      if (open.length > mostLines || openLength > longestRow) pieces.push(...givenUp())
    }
    yield pieces
  }
  while (open.length > 0) yield givenUp()
}
