import { quotedPrintable } from './mime.js'
import { type Budget, budget, outputBudget, RenderFailure } from './template-budget.js'
import { type CompiledTemplate, compileTemplate } from './template-language.js'
import { type ProgramPart, partsOf, type TemplateFormat } from './template-program.js'
import { parsedTemplate } from './template-syntax.js'

type Context = Readonly<Record<string, unknown>>

/** Whole lines that all mails have alike, encoded, or lines that are written and encoded for each. */
type Segment = { readonly encoded: string; readonly characters: number } | { readonly parts: readonly ProgramPart[] }

const lineEnd = '\n'

/**
 * Cuts a template where lines end. What a tag writes may have line ends of its own: what follows begins a line all the same, and a
 * line is encoded by itself (RFC 2045, section 6.7).
 */
const segmentsOf = (parts: readonly ProgramPart[]): readonly Segment[] => {
  const segments: Segment[] = []
  let fixed = ''
  let open: ProgramPart[] = []

  const close = () => {
    if (open.every((part) => typeof part === 'string')) fixed += open.join('')
    else {
      if (fixed !== '') segments.push({ encoded: quotedPrintable(fixed), characters: fixed.length })
      fixed = ''
      segments.push({ parts: open })
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
  if (fixed !== '') segments.push({ encoded: quotedPrintable(fixed), characters: fixed.length })
  return segments
}

const written = (parts: readonly ProgramPart[], spent: Budget, context: Context): string => {
  for (const part of parts)
    if (typeof part === 'string') spent.write(part)
    else part(spent, context)
  return spent.take()
}

/** More characters than that may have more bytes than a mail may: they are counted, and the lines of such a mail encoded anew. */
const certainlyFits = outputBudget / 3

const slowly =
  (template: CompiledTemplate): CompiledTemplate =>
  (context) =>
    quotedPrintable(template(context))

/**
 * What a template makes, in quoted-printable: `quotedPrintable(compileTemplate(source, format)(context))`, of which the lines that
 * all contexts have alike are encoded here, once.
 * @throws RenderFailure as `compileTemplate` does, and what it answers
 */
export const encodedTemplate = (source: string, format: TemplateFormat): CompiledTemplate => {
  const plainly = slowly(compileTemplate(source, format))
  if (source.length > certainlyFits) return plainly
  if (!source.includes('{{')) {
    const encoded = quotedPrintable(source)
    return () => encoded
  }
  const { program } = parsedTemplate(source)
  if (!program) return plainly
  const segments = segmentsOf(partsOf(program, format))
  return (context) => {
    const spent = budget()
    let out = ''
    try {
      for (const segment of segments) {
        if ('encoded' in segment) {
          spent.pass(segment.characters)
          out += segment.encoded
        } else out += quotedPrintable(written(segment.parts, spent, context))
      }
    } catch (error) {
      if (error instanceof RenderFailure) throw error
      throw new RenderFailure(error instanceof Error ? error.message : String(error))
    }
    return spent.length() > certainlyFits ? plainly(context) : out
  }
}
