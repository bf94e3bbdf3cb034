import Handlebars from 'handlebars'
import { budget, callable, installHelpers, RenderFailure } from './template-helpers.js'
import { checkSyntax } from './template-syntax.js'

export { RenderFailure } from './template-helpers.js'
export { checkTemplate, usesVariable } from './template-syntax.js'

const spent = budget()
const environment = Handlebars.create()
installHelpers(environment, spent)

/** How values are written: escaped for HTML, or as they are for text and header lines. */
export type TemplateFormat = 'html' | 'text'

/** A template, compiled. @throws RenderFailure when it runs past its budget or does not fit the values */
export type CompiledTemplate = (context: Readonly<Record<string, unknown>>) => string

const compiled = (source: string, format: TemplateFormat): CompiledTemplate => {
  if (!source.includes('{{')) return () => source
  const [violation] = checkSyntax(source)
  if (violation) throw new RenderFailure(violation)
  const run = environment.compile(source, {
    noEscape: format === 'text',
    knownHelpersOnly: true,
    knownHelpers: Object.fromEntries(Object.keys(callable).map((name) => [name, true])),
  })
  return (context) => {
    spent.reset()
    try {
      return spent.output(run(context, { allowProtoPropertiesByDefault: false, allowProtoMethodsByDefault: false }))
    } catch (error) {
      if (error instanceof RenderFailure) throw error
      throw new RenderFailure(error instanceof Error ? error.message : String(error))
    }
  }
}

const kept = 300
const recent = new Map<string, CompiledTemplate>()

/**
 * Compiles a template once; the latest few hundred are kept, so that mails of the same email share the work.
 * @throws RenderFailure with line and column for a template that `checkTemplate` refuses
 */
export const compileTemplate = (source: string, format: TemplateFormat): CompiledTemplate => {
  const key = `${format}:${source}`
  const found = recent.get(key)
  if (found) {
    recent.delete(key)
    recent.set(key, found)
    return found
  }
  const template = compiled(source, format)
  recent.set(key, template)
  const [oldest] = recent.keys()
  if (recent.size > kept && oldest !== undefined) recent.delete(oldest)
  return template
}
