import type { OutboxItem } from '../outbox/outbox.js'
import { campaignsPart, campaignsScript, type OutboxCampaign } from './campaigns.js'
import { type Html, html } from './html.js'
import { horn, layout, type Place } from './layout.js'
import { dayOf, nameOf, numberOf, sizeOf, timeOf } from './wording.js'

export type ListView = Place & {
  readonly items: readonly OutboxItem[]
  readonly count: number
  readonly search: string
  readonly skip: number
  readonly limit: number
  /** Undefined if the page shows no campaigns. */
  readonly campaigns?: readonly OutboxCampaign[] | undefined
}

const mails = (n: number) => (n === 1 ? '1 mail' : `${numberOf(n)} mails`)

const row = (base: string, { id, from, to, subject, date, size }: OutboxItem): Html => html`<li><a href="${base}/${id}">
<span class="mono" aria-hidden="true">${(/[\p{L}\p{N}]/u.exec(nameOf(to))?.[0] ?? '?').toUpperCase()}</span>
<span class="who"><span class="hidden">To </span>${nameOf(to)}</span>
<span class="what"><span class="hidden">Subject: </span>${subject || '(no subject)'} <small>from ${nameOf(from)}</small></span>
<span class="when"><time datetime="${date}">${dayOf(date)}, ${timeOf(date)}</time> <small>${sizeOf(size)}</small></span>
</a></li>
`

const nothing = ({ base, search, skip }: ListView): Html => {
  if (skip > 0) return html`<h2>There is nothing on this page</h2><p><a href="${base}">Back to the newest mails</a></p>`
  if (search === '')
    return html`<h2>No mails yet</h2><p>Whatever Posthorn sends while it uses the outbox appears here, the newest first.</p>`
  return html`<h2>Nothing found</h2><p>No sender, recipient or subject contains “${search}”. <a href="${base}">Show all mails</a></p>`
}

const pages = ({ base, items, count, search, skip, limit }: ListView): Html | undefined => {
  if (count <= limit && skip === 0) return undefined
  const at = (start: number) => {
    const query = new URLSearchParams({
      ...(search && { search }),
      ...(start > 0 && { skip: String(start) }),
    }).toString()
    return query === '' ? base : `${base}?${query}`
  }
  const step = (possible: boolean, rel: string, start: number, words: string) =>
    possible ? html`<a rel="${rel}" href="${at(start)}">${words}</a>` : html`<span aria-disabled="true">${words}</span>`
  return html`<nav class="pages" aria-label="Pages">
${step(skip > 0, 'prev', Math.max(0, skip - limit), '← Newer')}
<span>${numberOf(skip + 1)}–${numberOf(skip + items.length)} of ${numberOf(count)}</span>
${step(skip + items.length < count, 'next', skip + limit, 'Older →')}
</nav>`
}

export const outboxListPage = (view: ListView): string => {
  const { base, items, count, search, campaigns } = view
  const found = search === '' ? mails(count) : `${mails(count)} with “${search}”`
  return layout(view, {
    title: `${search === '' ? 'Outbox' : `“${search}” in the outbox`} · Posthorn`,
    search,
    script: campaigns && campaignsScript,
    main: html`<h1>Outbox</h1>
<p class="lead">${found}${search === '' ? undefined : html` · <a href="${base}">Show all</a>`}</p>
${campaigns && campaignsPart(base, campaigns)}
<div class="sheet">
${
  items.length === 0
    ? html`<div class="empty">${horn}${nothing(view)}</div>`
    : html`<ul class="mails">${items.map((item) => row(base, item))}</ul>`
}
</div>
${items.length === 0 ? undefined : pages(view)}`,
  })
}
