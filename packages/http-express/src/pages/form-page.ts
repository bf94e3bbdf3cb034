import type { Core, Log } from '@posthorn/core'
import { Html, html, languageOfTag } from '@posthorn/core/ports/transport'
import express, { type Request, type Response, type Router } from 'express'
import { readForm } from '../request.js'
import { browserLanguage, type HtmlPage, type PageContext, problemPageHandler, sendPage } from './page.js'

type OpenedForm = Awaited<ReturnType<Core['signupForms']['page']>>

/** The form chooses its colours for a light page. */
const light = `:root { color-scheme: light; --ink: #1d2430; --soft: #5a6472; --paper: #f5f4f1; --card: #fff; --line: #dcd9d2; --accent: #1f5fa8; --on-accent: #fff }
.ph { padding: 0; max-width: none }
.ph label { font-size: inherit; color: inherit }
`

/** Below the brand of the project. */
export const signupPage = ({
  title,
  style,
  content,
  ...rest
}: Pick<OpenedForm, 'style' | 'content'> & Partial<OpenedForm>): HtmlPage => ({
  title: title ?? '',
  style: new Html(`${light}${style.text}`),
  content: html`${content}`,
  asks: true,
  embedsImages: true,
  script: rest.script,
  provider: rest.provider,
})

/** `?language=de` fixes the language. A POST changes nothing: it brings the address that somebody typed on another page. */
export const formPages = (core: Core, log: Log, mount: string): Router => {
  const router = express.Router()
  const show = async (request: Request, response: Response, email?: string) => {
    const chosen = languageOfTag(request.query.language)
    const form = await core.signupForms.page(String(request.params.id), { base: mount, email }, (projectLanguage) => ({
      language: chosen ?? browserLanguage(request, projectLanguage),
      isFixed: chosen !== undefined,
    }))
    const reader: PageContext = { language: form.language, project: form.project }
    sendPage(response, signupPage(form), reader)
  }
  router.get('/forms/:id', (request, response) => show(request, response))
  router.post('/forms/:id', async (request, response) => {
    const { email } = await readForm(request, response)
    await show(request, response, typeof email === 'string' ? email.slice(0, 254) : undefined)
  })
  router.use(problemPageHandler(core, log))
  return router
}
