import { ProjectLanguage, SignupFormFigures, standardLanguage } from '@posthorn/core/ports/transport'
import { z } from 'zod'
import { signupPage } from '../pages/form-page.js'
import { type HtmlPage, type PageContext, pageTextWithoutScript } from '../pages/page.js'
import { confirmationQuestionPage, confirmedPage } from '../pages/recipient-pages.js'
import { route } from '../route.js'

const form = '/console/api/projectId/{projectId}/signup-forms/{id}' as const

const FormPreviewQuery = z.object({
  language: ProjectLanguage.default(standardLanguage),
  part: z.enum(['form', 'done', 'question', 'confirmed']).default('form').meta({
    description:
      'The form, what follows it, the question behind the link of the confirmation mail, or what follows that',
  }),
})

/** An address that nobody has. */
const sampleAddress = 'ada@example.com'

export const formConsoleRoutes = [
  route('get', `${form}/figures`, {
    id: 'getSignupFormFigures',
    summary: 'Count the subscriptions that came by a form',
    permission: 'figures.read',
    success: [200, SignupFormFigures],
    run: (core, { scope, params }) => core.signupForms.figures(scope, params.id),
  }),
  route('get', `${form}/preview`, {
    id: 'previewSignupForm',
    summary: 'See a page of a form in a language, as visitors do',
    query: FormPreviewQuery,
    success: [200, z.object({ html: z.string() })],
    run: async (core, { scope, params, query: { language, part } }) => {
      const preview = await core.signupForms.preview(scope, params.id, language)
      const reader: PageContext = { language, project: preview.project }
      const pages = {
        form: () => signupPage(preview.form),
        done: () => signupPage({ title: preview.form.title, ...preview.done }),
        question: () => confirmationQuestionPage({ email: sampleAddress, ...preview.confirmation }, reader),
        confirmed: () => confirmedPage(preview.confirmation, reader),
      } satisfies Record<typeof part, () => HtmlPage>
      return { html: pageTextWithoutScript(pages[part](), reader) }
    },
  }),
]
