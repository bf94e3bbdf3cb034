import { compactAsciiText, quotedPrintable } from './mime.js'
import { mostRenderedBytes, type RenderBudget, RenderFailure, renderBudget } from './template/budget.js'
import type { TemplateOutputFormat } from './template/expressions.js'
import { tokenMark, trackerOfTemplateContext } from './template/marks.js'
import {
  type CompiledTemplate,
  compileTemplate,
  literalProgram,
  type ProgramPart,
  templateProgramParts,
} from './template/program.js'
import { parsedTemplate } from './template/syntax.js'

type Context = Readonly<Record<string, unknown>>

/** Characters `from` to `to` of the mail's token. */
type TokenPart = { readonly from: number; readonly to: number }

/** Texts with the mail's token between each two, or a function that writes the part. */
type LinePart = readonly string[] | Exclude<ProgramPart, string>

/** Encoded whole lines, equal in all mails except for tokens; or parts written and encoded per mail. */
type Segment =
  | { readonly encoded: readonly (string | TokenPart)[]; readonly characters: number }
  | { readonly parts: readonly LinePart[] }

const lineEnd = '\n'

/** Tokens have a fixed length and are never encoded, so encodings with two tokens differ there. */
const encodedWithTokens = (text: string, tokenLength: number): readonly (string | TokenPart)[] => {
  if (!text.includes(tokenMark)) return [quotedPrintable(text)]
  const one = quotedPrintable(text.replaceAll(tokenMark, 'A'.repeat(tokenLength)))
  const other = quotedPrintable(text.replaceAll(tokenMark, 'B'.repeat(tokenLength)))
  const encoded: (string | TokenPart)[] = []
  let at = 0
  let written = 0
  for (let i = 0; i < one.length; i += 1) {
    if (one[i] === other[i]) continue
    if (at < i) encoded.push(one.slice(at, i))
    const from = written
    while (i < one.length && one[i] !== other[i] && written < tokenLength) {
      written += 1
      i += 1
    }
    encoded.push({ from, to: written })
    written %= tokenLength
    at = i
    i -= 1
  }
  if (at < one.length) encoded.push(one.slice(at))
  return encoded
}

const narrowedPart = <T>(part: string | T): string | T => (typeof part === 'string' ? compactAsciiText(part) : part)

/** Each line is encoded separately (RFC 2045, section 6.7). */
const segmentsOf = (parts: readonly ProgramPart[], tokenLength: number): readonly Segment[] => {
  const segments: Segment[] = []
  let fixed = ''
  let open: ProgramPart[] = []

  const pass = () => {
    if (fixed === '') return
    const characters = fixed.length + (fixed.split(tokenMark).length - 1) * (tokenLength - 1)
    segments.push({ encoded: encodedWithTokens(fixed, tokenLength).map(narrowedPart), characters })
    fixed = ''
  }

  const close = () => {
    if (open.every((part) => typeof part === 'string')) fixed += open.join('')
    else {
      pass()
      segments.push({ parts: open.map(tokensApart(tokenLength)) })
    }
    open = []
  }

  for (const part of parts) {
    if (typeof part !== 'string') {
      open.push(part)
      continue
    }
    const first = part.indexOf(lineEnd) + 1
    if (first === 0) {
      open.push(part)
      continue
    }
    const last = part.lastIndexOf(lineEnd) + 1
    open.push(part.slice(0, first))
    close()
    fixed += part.slice(first, last)
    if (last < part.length) open.push(part.slice(last))
  }
  close()
  pass()
  return segments
}

const tokensApart =
  (tokenLength: number) =>
  (part: ProgramPart): LinePart => {
    if (typeof part !== 'string') return part
    return tokenLength === 0 ? [compactAsciiText(part)] : part.split(tokenMark).map(compactAsciiText)
  }

const written = (parts: readonly LinePart[], spent: RenderBudget, context: Context, token: string): string => {
  for (const part of parts) {
    if (typeof part === 'function') part(spent, context)
    else for (let i = 0; i < part.length; i += 1) spent.write(i === 0 ? (part[0] ?? '') : token + part[i])
  }
  return spent.take()
}

const joined = (encoded: readonly (string | TokenPart)[], token: string): string => {
  let out = ''
  for (const part of encoded) out += typeof part === 'string' ? part : token.slice(part.from, part.to)
  return out
}

/** In characters. Longer outputs are rendered again and counted in bytes. */
const certainlyFits = mostRenderedBytes / 3

const slowly =
  (template: CompiledTemplate): CompiledTemplate =>
  (context) =>
    quotedPrintable(template(context))

/**
 * `quotedPrintable(compileTemplate(source, format)(context))`, but encodes unchanging lines once.
 * @throws RenderFailure
 */
export const compileEncodedTemplate = (
  source: string,
  format: TemplateOutputFormat,
  tokenLength = 0,
  isLiteral = false,
): CompiledTemplate => {
  const plainly = slowly(compileTemplate(source, format, isLiteral))
  if (source.length > certainlyFits) return plainly
  if ((isLiteral || !source.includes('{{')) && format !== 'tracked') {
    const encoded = quotedPrintable(source)
    return () => encoded
  }
  const { program } = isLiteral ? { program: literalProgram(source) } : parsedTemplate(source)
  if (!program) return plainly
  const segments = segmentsOf(templateProgramParts(program, format), tokenLength)
  return (context) => {
    const tracker = format === 'tracked' ? trackerOfTemplateContext(context) : undefined
    const token = tracker?.token ?? ''
    if (token.length !== tokenLength) return plainly(context)
    tracker?.begin()
    const spent = renderBudget()
    let out = ''
    try {
      for (const segment of segments) {
        if ('encoded' in segment) {
          spent.pass(segment.characters)
          out += joined(segment.encoded, token)
        } else out += quotedPrintable(written(segment.parts, spent, context, token))
      }
    } catch (error) {
      if (error instanceof RenderFailure) throw error
      throw new RenderFailure(error instanceof Error ? error.message : String(error))
    }
    return spent.length() > certainlyFits ? plainly(context) : out
  }
}
