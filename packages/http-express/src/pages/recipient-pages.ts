import { type Core, html, type Log } from '@posthorn/core'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express'
import { readForm } from '../body.js'
import { errors, reasonOf } from '../errors.js'
import { confirmationQuestion } from './confirmation-page.js'
import { type Page, sendPage } from './page.js'
import { preferenceChanges, preferencesPage } from './preferences-page.js'

type Answer = Page | { readonly redirectTo: string }

const shown =
  (make: (request: Request) => Promise<Answer>): RequestHandler =>
  async (request, response) => {
    const answer = await make(request)
    if ('redirectTo' in answer) response.redirect(303, answer.redirectTo)
    else sendPage(response, answer)
  }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const damagedLink = html`<p class="soft">A link that was copied may lack its end. Please open it from the mail itself, in the newest mail that you have.</p>`

/**
 * What went wrong, as a page with its status; who has sent something from a page finds the way back. A path that cannot be
 * decoded is no page’s, nor is its answer.
 */
const problemPage =
  (log: Log): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent || error instanceof URIError) return next(error)
    const { kind, message } = reasonOf(error, request, log)
    const again = `?token=${encodeURIComponent(textOf(request.query.token))}`
    const back = request.method === 'POST' && kind !== 'forbidden' && html`<p><a href="${again}">Back</a></p>`
    sendPage(response.status(errors[kind].status), {
      title: 'This did not work',
      content: html`<p>${message}</p>${kind === 'forbidden' && damagedLink}${back}`,
    })
  }

/** The page behind a List-Unsubscribe link that somebody opened: it changes nothing, its button does (RFC 8058). */
const unsubscribeQuestion = ({ listName, email }: { readonly listName: string; readonly email: string }): Page => ({
  title: `Unsubscribe from ${listName}?`,
  content: html`<p>${email} will get no more mail of this list.</p>
<form method="post"><input type="hidden" name="page" value="1"><button>Unsubscribe</button></form>`,
})

/** The pages that links in mails lead to: unsubscribe, confirmation, preferences. The token in the link is all that they trust. */
export const recipientPages = (core: Core, log: Log, now: () => Date = () => new Date()): Router => {
  const router = express.Router()
  const tomorrow = () => new Date(now().getTime() + 24 * 60 * 60_000).toISOString().slice(0, 10)

  const oneClick = '/v1/subscriber-lists/:id/:email/unsubscribe'
  router.get(
    oneClick,
    shown(async ({ params, query }) =>
      unsubscribeQuestion(await core.subscribers.unsubscription(textOf(params.id), query.token)),
    ),
  )
  router.post(oneClick, async (request, response, next) => {
    if ((await readForm(request, response)).page === undefined) return next()
    await shown(async ({ params, query }) => {
      await core.subscribers.unsubscribe(textOf(params.id), query.token)
      return { title: 'You are unsubscribed', content: html`<p>You will get no more mail of this list.</p>` }
    })(request, response, next)
  })

  router.get(
    '/v1/verify',
    shown(async ({ query }) => confirmationQuestion(await core.subscribers.verification(query.token))),
  )
  router.post(
    '/v1/verify',
    shown(async ({ query }) => {
      const { redirectTo, title, message } = await core.subscribers.verify(query.token)
      return redirectTo === '' ? { title, content: html`<p>${message}</p>` } : { redirectTo }
    }),
  )

  router.get(
    '/preferences',
    shown(async ({ query }) =>
      preferencesPage(await core.subscribers.preferences(query.token), tomorrow(), query.saved !== undefined),
    ),
  )
  router.post('/preferences', async (request, response) => {
    const form = await readForm(request, response)
    const token = textOf(request.query.token)
    await core.subscribers.changePreferences(token, preferenceChanges(form))
    response.redirect(303, `/preferences?token=${encodeURIComponent(token)}&saved=1`)
  })
  router.use(problemPage(log))
  return router
}
