import { byteBoundedCache, textBytes } from '../kernel/byte-bounded-cache.js'
import { RenderFailure } from './template-budget.js'
import type { TemplateFormat } from './template-frame.js'
import { tokenMark, trackerIn } from './template-marks.js'
import { programOf } from './template-program.js'
import { parsedTemplate } from './template-syntax.js'

export { chargedWork, loopBudget, outputBudget, RenderFailure, workBudget } from './template-budget.js'
export type { TemplateFormat } from './template-frame.js'
export { templateLimits } from './template-limits.js'
export { checkTemplate, usesVariable } from './template-syntax.js'

/** A compiled template. @throws RenderFailure if it exceeds its budget or does not fit the values */
export type CompiledTemplate = (context: Readonly<Record<string, unknown>>) => string

const compiled = (source: string, format: TemplateFormat): CompiledTemplate => {
  if (!source.includes('{{'))
    return format === 'tracked'
      ? (context) => source.replaceAll(tokenMark, trackerIn(context)?.token ?? '')
      : () => source
  const parsed = parsedTemplate(source)
  const [violation] = parsed.violations
  if (!parsed.program || violation !== undefined) throw new RenderFailure(violation ?? 'The template cannot be read.')
  const run = programOf(parsed.program, format)
  return (context) => {
    try {
      return run(context)
    } catch (error) {
      if (error instanceof RenderFailure) throw error
      throw new RenderFailure(error instanceof Error ? error.message : String(error))
    }
  }
}

/** Bytes in memory per tag of a compiled template, in addition to its source. */
const bytesOfTag = 2_000

const recent = byteBoundedCache<string, CompiledTemplate>({
  maxBytes: 16 * 1024 * 1024,
  largestEntry: 4 * 1024 * 1024,
  sizeOf: (key) => textBytes(key) * 2 + (key.split('{{').length - 1) * bytesOfTag,
})

/**
 * Compiles a template; recently used results are cached, so that mails of the same email share them. The template's limits are checked
 * before it is parsed.
 * @throws RenderFailure with line and column if `checkTemplate` rejects the template
 */
export const compileTemplate = (source: string, format: TemplateFormat): CompiledTemplate => {
  const key = `${format}:${source}`
  const found = recent.get(key)
  if (found) return found
  const template = compiled(source, format)
  recent.set(key, template)
  return template
}
