const lineEnd = /\r\n|\n|\r/

/** In characters. Longer rows are rejected, which bounds the memory. */
export const longestRow = 1_048_576

/** Without line ends and byte order mark. Truncates lines over `longestRow`. */
export const linesOf = async function* (
  bytes: AsyncIterable<Uint8Array>,
  encoding: string,
  bytesRead: (bytes: number) => void,
): AsyncGenerator<readonly string[]> {
  const decoder = new TextDecoder(encoding)
  let rest = ''
  /** Skips the rest of a line that was too long. */
  let isPassing = false
  for await (const chunk of bytes) {
    bytesRead(chunk.length)
    let text = rest + decoder.decode(chunk, { stream: true })
    if (isPassing) text = text.slice(/[\r\n]|$/.exec(text)?.index)
    // A CR at the very end may be half of a CRLF.
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

/** Several lines if a quoted cell has line breaks. `problem`: why it is invalid. */
export type RawCsvRow = { readonly line: number; readonly text: string; readonly problem?: string }

/** More line breaks in a cell mean a missing closing quote. */
const mostLines = 100

const shownOfLong = 1_000

export const unmatchedQuotesMessage = 'The quotes of the row do not match.'

const quotesIn = (text: string) => text.split('"').length - 1

/** A missing closing quote invalidates only its line, so that it does not swallow the file. */
export const rawCsvRows = async function* (
  lines: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly RawCsvRow[]> {
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

  /** Rejects the first open line, and parses the others again. */
  const givenUp = (): RawCsvRow[] => {
    const [text = '', ...others] = closeOpen()
    const line = number - others.length
    return [
      { line, text, problem: unmatchedQuotesMessage },
      ...others.flatMap((other, index) => taken(other, line + 1 + index)),
    ]
  }

  const taken = (text: string, line: number): RawCsvRow[] => {
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
    const pieces: RawCsvRow[] = []
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
