import { type Html, html, type ListPreference, type Preferences } from '@posthorn/core'
import type { Page } from './page.js'

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

/** What is done to all lists at once, for who is on any. */
const everyList = (tomorrow: string): Html => {
  const all = { name: 'all lists' }
  return html`<div class="all"><h2>All lists</h2><div class="choices">
${pauseForm(all, tomorrow)}
${actionForm(all, 'unsubscribe', 'Unsubscribe from all')}</div></div>`
}

/** A person's lists with what they can do about each; it works without script. `tomorrow` is the first day that a pause may end. */
export const preferencesPage = ({ email, lists }: Preferences, tomorrow: string, saved: boolean): Page => {
  const isOnAny = lists.some(({ status }) => status !== undefined && status !== 'unsubscribed')
  return {
    title: 'Your subscriptions',
    tab: saved ? 'Saved: your subscriptions' : undefined,
    content: html`${saved && html`<p class="note" role="status">Your choice is saved.</p>`}<p class="soft">${email}</p>
${lists.length === 0 ? html`<p>There is no list to subscribe to.</p>` : html`<ul>${lists.map((list) => listItem(list, tomorrow))}</ul>`}
${isOnAny && everyList(tomorrow)}`,
  }
}

const statusOf = new Map([
  ['subscribe', 'active'],
  ['unsubscribe', 'unsubscribed'],
  ['pause', 'paused'],
])

/** What a form of the page asks for, as the use case takes it, which refuses what makes no sense. */
export const preferenceChanges = ({ action, listId, pausedUntil }: Readonly<Record<string, unknown>>): object => {
  const wish = { status: statusOf.get(String(action)), ...(action === 'pause' && { pausedUntil }) }
  return listId === undefined ? { all: wish } : { lists: [{ _id: listId, ...wish }] }
}
