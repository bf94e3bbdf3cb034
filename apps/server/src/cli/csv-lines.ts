import { createReadStream } from 'node:fs'

const lineEnd = /\r\n|\n|\r/

/** The lines of a file as it is read, many at a time, without their ends; the byte order mark is not part of the first. */
export const linesOf = async function* (
  path: string,
  encoding: string,
  bytesRead: (bytes: number) => void,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder(encoding)
  let rest = ''
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    bytesRead(chunk.length)
    rest += decoder.decode(chunk, { stream: true })
    // A return at the very end may be half of a line's end.
    const whole = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, whole).split(lineEnd)
    rest = (lines.pop() ?? '') + rest.slice(whole)
    yield lines
  }
  rest += decoder.decode()
  const lines = rest.split(lineEnd)
  if (lines.at(-1) === '') lines.pop()
  yield lines
}

/** Some lines that make one row: more than one where a quoted cell has line breaks. */
export type Piece = { readonly line: number; readonly text: string; readonly closed: boolean }

/** A cell with more line breaks than this is a quote that was never closed. */
const longestRow = 100

const quotesIn = (text: string) => text.split('"').length - 1

/**
 * Lines put together to rows by their quotes. Where a quote is never closed, its line alone is broken and reading goes on with the
 * next, so that one stray quote does not swallow the file.
 */
export const piecesOf = async function* (lines: AsyncIterable<readonly string[]>): AsyncGenerator<readonly Piece[]> {
  let open: string[] = []
  let number = 0
  const closed = (text: string, line: number): Piece => ({ line, text, closed: true })

  /** Gives the first of the open lines up, and reads the others anew. */
  const givenUp = (): Piece[] => {
    const [text = '', ...others] = open
    const line = number - others.length
    open = []
    return [{ line, text, closed: false }, ...others.flatMap((other, index) => taken(other, line + 1 + index))]
  }

  const taken = (text: string, line: number): Piece[] => {
    const before = open.length
    if (before === 0 && text.trim() === '') return []
    if (before === 0 && !text.includes('"')) return [closed(text, line)]
    open.push(text)
    const row = open.join('\n')
    if (quotesIn(row) % 2 !== 0) return []
    open = []
    return [closed(row, line - before)]
  }

  for await (const some of lines) {
    const pieces: Piece[] = []
    for (const text of some) {
      number += 1
      pieces.push(...taken(text, number))
      if (open.length > longestRow) pieces.push(...givenUp())
    }
    yield pieces
  }
  while (open.length > 0) yield givenUp()
}
