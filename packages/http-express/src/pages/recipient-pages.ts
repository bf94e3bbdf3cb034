import type { Core, Log } from '@posthorn/core'
import { fillPlaceholders, Html, html, translatedDefault } from '@posthorn/core/ports/transport'
import express, { type Request, type RequestHandler, type Router } from 'express'
import { readForm } from '../request.js'
import { type HtmlPage, messagesFor, type PageContext, pageContextOf, problemPageHandler, sendPage } from './page.js'
import { preferenceChanges, preferencesPage } from './preferences-page.js'

/** Waits until the page was visible, so that link scanners and prefetching confirm nothing. */
const script = new Html(`
{
  const form = document.forms[0]
  let timer
  const look = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible' && !document.prerendering) timer = setTimeout(() => form.submit(), 1500)
  }
  form.addEventListener('submit', () => clearTimeout(timer))
  document.addEventListener('visibilitychange', look)
  document.addEventListener('prerenderingchange', look)
  look()
}
`)

/** Opening it changes nothing. */
export const confirmationQuestionPage = (
  { email, listNames, redirects }: Awaited<ReturnType<Core['subscribers']['verification']>>,
  reader: PageContext,
): HtmlPage => {
  const { confirmTitle, confirmQuestion, confirm } = messagesFor(reader)
  const lists = new Intl.ListFormat(reader.language).format(listNames)
  return {
    title: confirmTitle,
    content: html`<p>${fillPlaceholders(confirmQuestion, { email, lists })}</p>
<form method="post"><button>${confirm}</button></form>`,
    script,
    leadsAway: redirects,
  }
}

export const confirmedPage = (
  { title, message }: Pick<Awaited<ReturnType<Core['subscribers']['verify']>>, 'title' | 'message'>,
  { language }: PageContext,
): HtmlPage => ({
  title: translatedDefault(language, 'confirmedTitle', title),
  content: html`<p>${translatedDefault(language, 'confirmed', message)}</p>`,
})

type Answer = HtmlPage | { readonly redirectTo: string }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Opening it changes nothing; the button unsubscribes (RFC 8058). */
const unsubscribeQuestion = (
  { listName, email }: { readonly listName: string; readonly email: string },
  reader: PageContext,
): HtmlPage => {
  const { unsubscribeTitle, unsubscribeQuestion, unsubscribe } = messagesFor(reader)
  return {
    title: fillPlaceholders(unsubscribeTitle, { list: listName }),
    content: html`<p>${fillPlaceholders(unsubscribeQuestion, { email })}</p>
<form method="post"><input type="hidden" name="page" value="1"><button>${unsubscribe}</button></form>`,
  }
}

const unsubscribedPage = (reader: PageContext): HtmlPage => {
  const { unsubscribedTitle, unsubscribed } = messagesFor(reader)
  return { title: unsubscribedTitle, content: html`<p>${unsubscribed}</p>` }
}

const testPage = (purpose: ReturnType<Core['pageReaders']['tested']>, reader: PageContext): HtmlPage => {
  const { testTitle, testUnsubscribe, testPreferences, testVerify } = messagesFor(reader)
  const text = { unsubscribe: testUnsubscribe, preferences: testPreferences, verify: testVerify }
  return { title: testTitle, content: html`<p>${text[purpose]}</p>` }
}

/** They trust only the token in the link. */
export const recipientWebPages = (core: Core, log: Log, now: () => Date = () => new Date()): Router => {
  const router = express.Router()
  const tomorrow = () => new Date(now().getTime() + 24 * 60 * 60_000).toISOString().slice(0, 10)

  /** Finds the reader first: the change may delete the contact. */
  const shown =
    (make: (request: Request, reader: PageContext) => Promise<Answer>): RequestHandler =>
    async (request, response) => {
      const reader = await pageContextOf(core, request)
      const answer = await make(request, reader)
      if ('redirectTo' in answer) response.redirect(303, answer.redirectTo)
      else sendPage(response, answer, reader)
    }

  const oneClick = '/v1/subscriber-lists/:id/:email/unsubscribe'
  router.get(
    oneClick,
    shown(async ({ params, query }, reader) =>
      unsubscribeQuestion(await core.subscribers.unsubscription(textOf(params.id), query.token), reader),
    ),
  )
  router.post(oneClick, async (request, response, next) => {
    if ((await readForm(request, response)).page === undefined) return next()
    await shown(async ({ params, query }, reader) => {
      await core.subscribers.unsubscribe(textOf(params.id), query.token)
      return unsubscribedPage(reader)
    })(request, response, next)
  })

  router.get(
    '/v1/verify',
    shown(async ({ query }, reader) =>
      confirmationQuestionPage(await core.subscribers.verification(query.token), reader),
    ),
  )
  router.post(
    '/v1/verify',
    shown(async ({ query }, reader) => {
      const verified = await core.subscribers.verify(query.token)
      return verified.redirectTo === '' ? confirmedPage(verified, reader) : verified
    }),
  )

  router.get(
    '/preferences',
    shown(async ({ query }, reader) =>
      preferencesPage(await core.subscribers.preferences(query.token), {
        reader,
        tomorrow: tomorrow(),
        saved: query.saved !== undefined,
      }),
    ),
  )
  router.post('/preferences', async (request, response) => {
    const form = await readForm(request, response)
    const token = textOf(request.query.token)
    await core.subscribers.changePreferences(token, preferenceChanges(form))
    response.redirect(303, `/preferences?token=${encodeURIComponent(token)}&saved=1`)
  })

  router.get(
    '/test-link',
    shown(async ({ query }, reader) => testPage(core.pageReaders.tested(query.token), reader)),
  )
  router.use(problemPageHandler(core, log))
  return router
}
