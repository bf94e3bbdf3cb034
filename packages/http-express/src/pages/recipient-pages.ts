import { type Core, type Html, html, type ListPreference, type Log, type Preferences } from '@posthorn/core'
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Router } from 'express'
import { readForm } from '../body.js'
import { errors, reasonOf } from '../errors.js'
import { page } from './page.js'

type Shown = { readonly title: string; readonly content: Html }
type Answer = Shown | { readonly redirectTo: string }

const shown =
  (make: (request: Request) => Promise<Answer>): RequestHandler =>
  async (request, response) => {
    const answer = await make(request)
    if ('redirectTo' in answer) response.redirect(303, answer.redirectTo)
    else response.type('html').send(page(answer.title, answer.content))
  }

const damagedLink = html`<p class="soft">A link that was copied may lack its end. Please open it from the mail itself, in the newest mail that you have.</p>`

/** What went wrong, as a page with its status. A path that cannot be decoded is no page’s, nor is its answer. */
const problemPage =
  (log: Log): ErrorRequestHandler =>
  (error, request, response, next) => {
    if (response.headersSent || error instanceof URIError) return next(error)
    const { kind, message } = reasonOf(error, request, log)
    response
      .status(errors[kind].status)
      .type('html')
      .send(page('This did not work', html`<p>${message}</p>${kind === 'forbidden' && damagedLink}`))
  }

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The page behind a List-Unsubscribe link that somebody opened: it changes nothing, its button does (RFC 8058). */
const unsubscribeQuestion = ({ listName, email }: { readonly listName: string; readonly email: string }): Shown => ({
  title: `Unsubscribe from ${listName}?`,
  content: html`<p>${email} will get no more mail of this list.</p>
<form method="post"><input type="hidden" name="page" value="1"><button>Unsubscribe</button></form>`,
})

const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

const statusText = ({ status, pausedUntil }: ListPreference): Html => {
  if (status === 'paused' && pausedUntil !== undefined)
    return html`Paused until <time datetime="${pausedUntil}">${longDate.format(new Date(pausedUntil))}</time>`
  if (status === 'active') return html`Subscribed`
  return status === 'unverified' ? html`Waiting for your confirmation` : html`Not subscribed`
}

/** One list, or all of them where no id is given. */
type Subject = { readonly listId?: string; readonly name: string }

const subjectField = ({ listId }: Subject): Html | false =>
  listId !== undefined && html`<input type="hidden" name="listId" value="${listId}">`

const pauseForm = (subject: Subject, tomorrow: string): Html =>
  html`<details><summary aria-label="Pause ${subject.name}">Pause…</summary>
<form method="post">${subjectField(subject)}<label>Until <input type="date" name="pausedUntil" required min="${tomorrow}"></label>
<button name="action" value="pause" aria-label="Pause ${subject.name}">Pause</button></form></details>`

const actionForm = (subject: Subject, action: 'subscribe' | 'unsubscribe', label: string): Html =>
  html`<form method="post">${subjectField(subject)}<button${action === 'unsubscribe' && html` class="quiet"`} name="action" value="${action}" aria-label="${label}: ${subject.name}">${label}</button></form>`

const listItem = (list: ListPreference, tomorrow: string): Html => {
  const subject = { listId: list._id, name: list.name }
  const member = list.status !== undefined && list.status !== 'unsubscribed'
  const on = list.status === 'active'
  return html`<li><div class="head"><h2>${list.name}</h2><span class="status${on && html` on`}">${statusText(list)}</span></div>
${list.description !== '' && html`<p class="soft">${list.description}</p>`}
<div class="choices">
${on ? pauseForm(subject, tomorrow) : actionForm(subject, 'subscribe', list.status === 'paused' ? 'Get mail again' : 'Subscribe')}
${member && actionForm(subject, 'unsubscribe', 'Unsubscribe')}</div></li>`
}

const preferences = ({ email, lists }: Preferences, tomorrow: string, saved: boolean): Shown => {
  const all = { name: 'all lists' }
  return {
    title: 'Your subscriptions',
    content: html`${saved && html`<p class="note" role="status">Your choice is saved.</p>`}<p class="soft">${email}</p>
<ul>${lists.map((list) => listItem(list, tomorrow))}</ul>
<div class="all"><h2>All lists</h2><div class="choices">
${pauseForm(all, tomorrow)}
${actionForm(all, 'unsubscribe', 'Unsubscribe from all')}</div></div>`,
  }
}

const statusOf: Readonly<Record<string, string>> = { subscribe: 'active', unsubscribe: 'unsubscribed', pause: 'paused' }

/** What a form of the preferences page asks for, as the use case takes it. */
const changesOf = ({ action, listId, pausedUntil }: Readonly<Record<string, unknown>>): object => {
  const wish = { status: statusOf[textOf(action)], ...(action === 'pause' && { pausedUntil }) }
  return listId === undefined ? { all: wish } : { lists: [{ _id: listId, ...wish }] }
}

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
    shown(async ({ query }) => {
      const { redirectTo, title, message } = await core.subscribers.verify(query.token)
      return redirectTo === '' ? { title, content: html`<p>${message}</p>` } : { redirectTo }
    }),
  )

  router.get(
    '/preferences',
    shown(async ({ query }) =>
      preferences(await core.subscribers.preferences(query.token), tomorrow(), query.saved !== undefined),
    ),
  )
  router.post('/preferences', async (request, response) => {
    const form = await readForm(request, response)
    const token = textOf(request.query.token)
    await core.subscribers.changePreferences(token, changesOf(form))
    response.redirect(303, `/preferences?token=${encodeURIComponent(token)}&saved=1`)
  })
  router.use(problemPage(log))
  return router
}
