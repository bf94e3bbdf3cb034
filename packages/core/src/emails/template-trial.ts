import { cachedAnswers } from '../kernel/cached-answers.js'
import type { NamedTemplate, TemplateTrial } from './ports.js'
import { checkTemplate, compileTemplate, RenderFailure } from './template-language.js'

/**
 * Parses, compiles and renders the templates without values, so that the caller learns whether that takes too long. Returns the errors by
 * field, line and column; missing values are no error.
 */
export const tryTemplates = (templates: readonly NamedTemplate[]): readonly string[] =>
  templates.flatMap(({ field, source, format }) => {
    const violations = checkTemplate(field, source)
    if (violations.length > 0) return violations
    try {
      compileTemplate(source, format)({})
    } catch (error) {
      if (!(error instanceof RenderFailure)) throw error
    }
    return []
  })

/** Bytes of digests of templates that passed: about 10,000 entries. */
const maxBytes = 4 * 1024 * 1024

/** Runs the trial once per distinct set of templates while its digest is cached; failures are not cached. */
export const onceTried = (trial: TemplateTrial, digest: (text: string) => string): TemplateTrial => {
  const passed = cachedAnswers<true>({ maxBytes, sizeOf: () => 0 })

  return async (templates, projectId) => {
    const worth = templates.filter(({ source }) => source.includes('{{'))
    if (worth.length === 0) return
    const key = digest(worth.map(({ source, format }) => `${format}:${source.length}:${source}`).join('\n'))
    await passed(`${projectId}:${key}`, async () => {
      await trial(worth, projectId)
      return true
    })
  }
}
