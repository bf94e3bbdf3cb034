/** What an address may be made of between `<` and `>`: nothing that could end the command or the path (RFC 5321, 4.1.2). */
const path = /^[\x21-\x3b\x3d\x3f-\x7e]+@[\x21-\x3b\x3d\x3f-\x7e]+$/

/** RFC 5321, 4.5.3.1.3: a path has 256 characters, its brackets included. */
export const isPath = (address: string) => address.length <= 254 && path.test(address)

/** Whether a CR or LF stands alone. Every mail passes here: this is a third of what a regular expression takes. */
const hasLooseBreak = (text: string): boolean => {
  for (let from = 0; ; ) {
    const cr = text.indexOf('\r', from)
    const lf = text.indexOf('\n', from)
    if (cr < 0) return lf >= 0
    if (lf !== cr + 1) return true
    from = lf + 1
  }
}

/** Dots at the start of a line doubled, every CR or LF that stands alone made a line end. The text begins where a line does. */
const stuffed = (text: string): string => {
  const lines = hasLooseBreak(text) ? text.replaceAll(/\r\n?|\n/g, '\r\n') : text
  const doubled = lines.includes('\r\n.') ? lines.replaceAll('\r\n.', '\r\n..') : lines
  return doubled.startsWith('.') ? `.${doubled}` : doubled
}

/**
 * The mail as it travels after DATA: dots at the start of a line doubled, the last line ended, the final dot (RFC 5321, 4.5.2).
 * A CR or LF that stands alone becomes a line end, so that no server can see an end of the mail where others see none.
 */
export const dataText = (mime: string): string => {
  const text = stuffed(mime)
  return `${text}${text.endsWith('\r\n') || text === '' ? '' : '\r\n'}.\r\n`
}

/** As `dataText`, of a mail whose making left nothing to look for: every line ended by CRLF, none begun by a dot. */
export const transparentText = (mime: string): string => `${mime}.\r\n`

/** A longer mail is made ready, and written, in pieces of so many characters: a millisecond each. */
export const pieceLength = 256 * 1024

/** `dataText` in pieces, each made when it is asked for. Pieces end where lines do, as far as there are lines. */
export function* dataPieces(mime: string, length = pieceLength): Generator<string> {
  let from = 0
  while (mime.length - from > length) {
    const end = mime.indexOf('\n', from + length - 1) + 1
    if (end === 0) break
    yield stuffed(mime.slice(from, end))
    from = end
  }
  yield dataText(mime.slice(from))
}
