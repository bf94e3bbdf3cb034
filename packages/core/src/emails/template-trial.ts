import { cachedAnswers } from '../kernel/cached-answers.js'
import type { NamedTemplate, TemplateTrial } from './ports.js'
import { checkTemplate, compileTemplate, RenderFailure } from './template-language.js'

/**
 * Reads and compiles the templates and renders each without values, so that whoever asks knows how long that takes. Answers with what
 * is wrong, by field, line and column; that a template wants values is not.
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

/** Digests of templates that passed: some ten thousand. */
const maxBytes = 4 * 1024 * 1024

/** The trial, asked once for each distinct template for as long as its digest is remembered; refusals are not. */
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
