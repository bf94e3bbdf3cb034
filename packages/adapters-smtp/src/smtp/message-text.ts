/** Nothing may end the command or the path (RFC 5321, 4.1.2). */
const path = /^[\x21-\x3b\x3d\x3f-\x7e]+@[\x21-\x3b\x3d\x3f-\x7e]+$/

/** RFC 5321, 4.5.3.1.3: 256 characters with its brackets. */
export const isSmtpPath = (address: string) => address.length <= 254 && path.test(address)

/** A lone CR or LF. Takes a third of the time of a regular expression. */
const hasLooseBreak = (text: string): boolean => {
  for (let from = 0; ; ) {
    const cr = text.indexOf('\r', from)
    const lf = text.indexOf('\n', from)
    if (cr < 0) return lf >= 0
    if (lf !== cr + 1) return true
    from = lf + 1
  }
}

/** Doubles leading dots; lone CRs and LFs become line ends. The text begins a line. */
const stuffed = (text: string): string => {
  const lines = hasLooseBreak(text) ? text.replaceAll(/\r\n?|\n/g, '\r\n') : text
  const doubled = lines.includes('\r\n.') ? lines.replaceAll('\r\n.', '\r\n..') : lines
  return doubled.startsWith('.') ? `.${doubled}` : doubled
}

/** After DATA (RFC 5321, 4.5.2). A lone CR or LF becomes a line end: all servers must agree on the end of the mail (SMTP smuggling). */
export const dotStuffedSmtpData = (mime: string): string => {
  const text = stuffed(mime)
  return `${text}${text.endsWith('\r\n') || text === '' ? '' : '\r\n'}.\r\n`
}

/** Requires that lines end with CRLF and begin without a dot. */
export const terminatedSmtpData = (mime: string): string => `${mime}.\r\n`

/** Characters, a millisecond each. */
export const smtpDataPieceLength = 256 * 1024

/** Pieces end at line ends, if any. */
export function* dataPieces(mime: string, length = smtpDataPieceLength): Generator<string> {
  let from = 0
  while (mime.length - from > length) {
    const end = mime.indexOf('\n', from + length - 1) + 1
    if (end === 0) break
    yield stuffed(mime.slice(from, end))
    from = end
  }
  yield dotStuffedSmtpData(mime.slice(from))
}
