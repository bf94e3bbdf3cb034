/** RFC 5321, section 4.2. */
export type SmtpReply = { readonly code: number; readonly lines: readonly string[] }

class MalformedReply extends Error {
  override readonly name = 'MalformedReply'
}

/** In characters; protects the memory. */
const longestReply = 64 * 1024

const replyLine = /^[2-5]\d\d(?:[ -].*)?$/

/** `550 5.1.1 No such user` */
export const replyText = ({ code, lines }: SmtpReply) => `${code} ${lines.join(' ')}`.trimEnd()

/** RFC 3463, as in `4.7.0`. */
export const enhancedCode = ({ lines }: SmtpReply): string | undefined =>
  /^[245]\.\d{1,3}\.\d{1,3}(?= |$)/.exec(lines[0] ?? '')?.[0]

/** Lines end with CRLF or LF. Yields replies before a malformed one. @throws MalformedReply */
export const replyReader = () => {
  let rest = ''
  let lines: string[] = []
  let length = 0

  const read = function* (piece: string): Generator<SmtpReply, void> {
    const text = rest + piece
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = text.slice(start, text[end - 1] === '\r' ? end - 1 : end)
      start = end + 1
      if (!replyLine.test(line)) throw new MalformedReply(`The server answered what is not SMTP: ${line.slice(0, 80)}`)
      lines.push(line.slice(4))
      length += line.length
      if (line[3] === '-') continue
      const reply = { code: Number(line.slice(0, 3)), lines }
      lines = []
      length = 0
      yield reply
    }
    rest = text.slice(start)
    if (length + rest.length > longestReply) throw new MalformedReply('The server answered without end')
  }

  return {
    read,
    midway: () => rest !== '' || lines.length > 0,
  }
}
