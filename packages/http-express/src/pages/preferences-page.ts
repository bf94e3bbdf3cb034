import type { Preferences } from '@posthorn/core'
import {
  fillPlaceholders,
  type Html,
  html,
  type ListPreference,
  type Messages,
  type PreferenceChanges,
  uncheckedInput,
} from '@posthorn/core/ports/transport'
import { type HtmlPage, messagesFor, type PageContext } from './page.js'

type Speech = { readonly say: Messages; readonly dateOf: (instant: string) => string; readonly tomorrow: string }

const speechOf = (reader: PageContext, tomorrow: string): Speech => {
  const locale = reader.language === 'en' ? 'en-GB' : reader.language
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  return { say: messagesFor(reader), dateOf: (instant) => format.format(new Date(instant)), tomorrow }
}

const pausedText = ({ say, dateOf }: Speech, pausedUntil: string): Html => {
  const [before = '', after = ''] = say.statusPausedUntil.split('{date}')
  return html`${before}<time datetime="${pausedUntil}">${dateOf(pausedUntil)}</time>${after}`
}

const statusText = (speech: Speech, { status, pausedUntil }: ListPreference): Html => {
  const { say } = speech
  if (status === 'paused')
    return pausedUntil === undefined ? html`${say.statusPaused}` : pausedText(speech, pausedUntil)
  if (status === 'active') return html`${say.statusActive}`
  return html`${status === 'unverified' ? say.statusUnverified : say.statusNone}`
}

const listField = (listId: string | undefined): Html | false =>
  listId !== undefined && html`<input type="hidden" name="listId" value="${listId}">`

const pauseForm = ({ say, tomorrow }: Speech, named: string, listId?: string): Html =>
  html`<details><summary aria-label="${named}">${say.pauseOpen}</summary>
<form method="post">${listField(listId)}<label>${say.pauseUntil} <input type="date" name="pausedUntil" required min="${tomorrow}"></label>
<button name="action" value="pause" aria-label="${named}">${say.pause}</button></form></details>`

const actionForm = (action: 'subscribe' | 'unsubscribe', label: string, named: string, listId?: string): Html =>
  html`<form method="post">${listField(listId)}<button${action === 'unsubscribe' && html` class="quiet"`} name="action" value="${action}" aria-label="${named}">${label}</button></form>`

const listItem = (speech: Speech, list: ListPreference): Html => {
  const { say } = speech
  const { _id, name, description, status } = list
  const isMember = status !== undefined && status !== 'unsubscribed'
  const on = status === 'active'
  const action = (which: 'subscribe' | 'unsubscribe', label: string) =>
    actionForm(which, label, `${label}: ${name}`, _id)
  return html`<li><div class="head"><h2>${name}</h2><span class="status${on && html` on`}">${statusText(speech, list)}</span></div>
${description !== '' && html`<p class="soft">${description}</p>`}
<div class="choices">
${on ? pauseForm(speech, fillPlaceholders(say.pauseList, { list: name }), _id) : action('subscribe', status === 'paused' ? say.getMailAgain : say.subscribe)}
${isMember && action('unsubscribe', say.unsubscribe)}</div></li>`
}

const everyList = (speech: Speech): Html => {
  const { allLists, pauseAll, unsubscribeAll } = speech.say
  return html`<div class="all"><h2>${allLists}</h2><div class="choices">
${pauseForm(speech, pauseAll)}
${actionForm('unsubscribe', unsubscribeAll, unsubscribeAll)}</div></div>`
}

/** Works without script. */
export const preferencesPage = (
  { email, lists }: Preferences,
  { reader, tomorrow, saved }: { readonly reader: PageContext; readonly tomorrow: string; readonly saved: boolean },
): HtmlPage => {
  const speech = speechOf(reader, tomorrow)
  const { say } = speech
  const isOnAny = lists.some(({ status }) => status !== undefined && status !== 'unsubscribed')
  return {
    title: say.preferencesTitle,
    tab: saved ? say.preferencesSaved : undefined,
    content: html`${saved && html`<p class="note" role="status">${say.saved}</p>`}<p class="soft">${email}</p>
${lists.length === 0 ? html`<p>${say.noLists}</p>` : html`<ul>${lists.map((list) => listItem(speech, list))}</ul>`}
${isOnAny && everyList(speech)}`,
  }
}

const statusOf = new Map([
  ['subscribe', 'active'],
  ['unsubscribe', 'unsubscribed'],
  ['pause', 'paused'],
])

export const preferenceChanges = ({
  action,
  listId,
  pausedUntil,
}: Readonly<Record<string, unknown>>): PreferenceChanges => {
  const wish = { status: statusOf.get(String(action)), ...(action === 'pause' && { pausedUntil }) }
  return uncheckedInput(listId === undefined ? { all: wish } : { lists: [{ _id: listId, ...wish }] })
}
