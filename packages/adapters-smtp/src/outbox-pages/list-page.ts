import { createHash } from 'node:crypto'
import { type Html, html } from '@posthorn/core/ports/transport'
import type { MailOutboxItem } from '../outbox/outbox.js'
import {
  formatDay,
  formatNumber,
  formatSize,
  formatTimeUtc,
  horn,
  layout,
  mailboxDisplayName,
  type OutboxMount,
} from './layout.js'

export type OutboxCampaign = {
  readonly campaignId: string
  readonly name: string
  /** `being-sent`, `sent` or `error`. */
  readonly status: string
  readonly sent: number
  readonly failed: number
  readonly excluded: number
  readonly waiting: number
  readonly expanding: boolean
  readonly scheduledTo?: string | undefined
  readonly reportUrl: string
}

const words: Readonly<Record<string, string>> = { 'being-sent': 'being sent', sent: 'sent', error: 'stopped' }

/** In whole percent, so that the progress bar is announced once per percent. */
const percentDone = ({ sent, failed, excluded, waiting }: OutboxCampaign): number => {
  const done = sent + failed + excluded
  return Math.floor((100 * done) / Math.max(1, done + waiting))
}

const countsOf = ({ sent, failed, excluded, waiting }: OutboxCampaign): string =>
  [
    `${formatNumber(sent)} sent`,
    ...(waiting > 0 ? [`${formatNumber(waiting)} to go`] : []),
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(excluded > 0 ? [`${formatNumber(excluded)} left out`] : []),
  ].join(' · ')

const pathOf = (reportUrl: string): string => {
  const { pathname, search } = new URL(reportUrl)
  return `${pathname}${search}`
}

const campaignRow = (campaign: OutboxCampaign): Html => {
  const { campaignId, name, status, expanding, scheduledTo, reportUrl } = campaign
  const isRunning = status === 'being-sent'
  const when =
    scheduledTo === undefined
      ? undefined
      : html`<time datetime="${scheduledTo}">${formatDay(scheduledTo)}, ${formatTimeUtc(scheduledTo)}</time>`
  return html`<li>
<div class="line"><a id="campaign-${campaignId}" href="${pathOf(reportUrl)}">${name}</a><span>${words[status] ?? status}${expanding ? ', finding recipients' : ''}</span></div>
${isRunning ? html`<progress aria-labelledby="campaign-${campaignId}" max="100" value="${percentDone(campaign)}"></progress>` : undefined}
<div class="line"><small>${countsOf(campaign)}</small>${when}</div>
</li>
`
}

/** Rendered even when empty, so that the script finds its element. */
export const outboxCampaignsSection = (base: string, campaigns: readonly OutboxCampaign[]): Html =>
  html`<section id="campaigns" data-from="${base}/campaigns" data-every="${campaigns.some(({ status }) => status === 'being-sent') ? 1 : 5}">
${campaigns.length === 0 ? undefined : html`<h2 class="part">Campaigns</h2><ul class="campaigns">${campaigns.map(campaignRow)}</ul>`}
</section>`

/** While the page is visible and no campaign has the focus. */
const campaignsScript = `
{
  const place = () => document.getElementById('campaigns')
  const refresh = async () => {
    const now = place()
    if (document.visibilityState !== 'visible' || now.contains(document.activeElement)) return
    const answer = await fetch(now.dataset.from)
    if (!answer.ok) return
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById('campaigns')
    if (next && next.outerHTML !== now.outerHTML) now.replaceWith(document.adoptNode(next))
  }
  const wait = () => setTimeout(() => refresh().catch(() => {}).finally(wait), Number(place().dataset.every) * 1000)
  wait()
}
`

export const outboxListScriptHash = `'sha256-${createHash('sha256').update(campaignsScript).digest('base64')}'`

export type OutboxListView = OutboxMount & {
  readonly items: readonly MailOutboxItem[]
  readonly count: number
  readonly search: string
  readonly skip: number
  readonly limit: number
  readonly campaigns?: readonly OutboxCampaign[] | undefined
}

const mails = (n: number) => (n === 1 ? '1 mail' : `${formatNumber(n)} mails`)

const row = (
  base: string,
  { id, from, to, subject, date, size }: MailOutboxItem,
): Html => html`<li><a href="${base}/${id}">
<span class="mono" aria-hidden="true">${(/[\p{L}\p{N}]/u.exec(mailboxDisplayName(to))?.[0] ?? '?').toUpperCase()}</span>
<span class="who"><span class="hidden">To </span>${mailboxDisplayName(to)}</span>
<span class="what"><span class="hidden">Subject: </span>${subject || '(no subject)'} <small>from ${mailboxDisplayName(from)}</small></span>
<span class="when"><time datetime="${date}">${formatDay(date)}, ${formatTimeUtc(date)}</time> <small>${formatSize(size)}</small></span>
</a></li>
`

const nothing = ({ base, search, skip }: OutboxListView): Html => {
  if (skip > 0) return html`<h2>There is nothing on this page</h2><p><a href="${base}">Back to the newest mails</a></p>`
  if (search === '')
    return html`<h2>No mails yet</h2><p>Whatever Posthorn sends while it uses the outbox appears here, the newest first.</p>`
  return html`<h2>Nothing found</h2><p>No sender, recipient or subject contains “${search}”. <a href="${base}">Show all mails</a></p>`
}

const pages = ({ base, items, count, search, skip, limit }: OutboxListView): Html | undefined => {
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
<span>${formatNumber(skip + 1)}–${formatNumber(skip + items.length)} of ${formatNumber(count)}</span>
${step(skip + items.length < count, 'next', skip + limit, 'Older →')}
</nav>`
}

export const outboxListPage = (view: OutboxListView): string => {
  const { base, items, count, search, campaigns } = view
  const found = search === '' ? mails(count) : `${mails(count)} with “${search}”`
  return layout(view, {
    title: `${search === '' ? 'Outbox' : `“${search}” in the outbox`} · Posthorn`,
    search,
    script: campaigns && campaignsScript,
    main: html`<h1>Outbox</h1>
<p class="lead">${found}${search === '' ? undefined : html` · <a href="${base}">Show all</a>`}</p>
${campaigns && outboxCampaignsSection(base, campaigns)}
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
