import { textBytes } from '../kernel/byte-bounded-cache.js'
import { cachedAnswers } from '../kernel/cached-answers.js'
import type { Secrets } from '../kernel/ports.js'
import { Refusal } from '../kernel/refusal.js'
import type { EmailContent } from './email-content.js'
import type { PlainText, TemplateTrial } from './ports.js'
import { type EmailToPrepare, templatesOf } from './rendering.js'
import { RenderFailure } from './template-language.js'
import { onceTried } from './template-trial.js'
import { textTemplateOf } from './text-template.js'

type Deps = {
  readonly templateTrial: TemplateTrial
  readonly plainText: PlainText
  readonly secrets: Pick<Secrets, 'digest'>
}

/** Cache size in bytes for plain texts converted from HTML emails. */
const maxBytes = 8 * 1024 * 1024

const isBlocked = (error: unknown): error is Refusal => error instanceof Refusal && error.kind === 'blocked'

/** Trial compilation and plain text of a content. Other processes do the work, once per content. */
export const emailTemplates = ({ templateTrial, plainText, secrets }: Deps) => {
  const trial = onceTried(templateTrial, secrets.digest)
  const texts = cachedAnswers<string | undefined>({
    maxBytes,
    largestEntry: maxBytes / 4,
    sizeOf: (text = '') => textBytes(text),
  })

  /** Undefined if the converted text is no valid template; then each mail must be converted. */
  const textTemplate = async (html: string, projectId: string): Promise<string | undefined> => {
    const text = await textTemplateOf(html, (masked) => plainText(masked, projectId))
    if (text === undefined) return undefined
    try {
      await trial([{ field: 'plain text', source: text, format: 'text' }], projectId)
      return text
    } catch (error) {
      if (isBlocked(error)) return undefined
      throw error
    }
  }

  return {
    /**
     * Checks that the content's templates compile; refusals call the document `documentName`.
     * @throws Refusal `blocked` with the reason, `busy`
     */
    assertCompiles: (content: EmailContent, projectId: string, documentName?: string): Promise<void> =>
      trial(templatesOf(content, documentName), projectId),

    /** @throws Refusal `blocked`, `busy` */
    plainTextOf: async ({ type, document }: EmailContent, projectId: string): Promise<EmailToPrepare['plainText']> => {
      if (type === 'text' || typeof document !== 'string') return { template: '' }
      const template = await texts(`${projectId}:${secrets.digest(document)}`, () => textTemplate(document, projectId))
      if (template !== undefined) return { template }
      return {
        of: async (html) => {
          try {
            return await plainText(html, projectId)
          } catch (error) {
            throw isBlocked(error) ? new RenderFailure(error.message) : error
          }
        },
      }
    },
  }
}
export type EmailTemplates = ReturnType<typeof emailTemplates>
