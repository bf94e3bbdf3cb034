import { createHash } from 'node:crypto'
import { type Html, html } from './html.js'
import { dayOf, numberOf, timeOf } from './wording.js'

export type OutboxCampaign = {
  readonly campaignId: string
  readonly name: string
  /** `being-sent`, `sent` or `error`. */
  readonly status: string
  readonly sent: number
  readonly failed: number
  readonly excluded: number
  readonly waiting: number
  /** Recipients are still being added. */
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
    `${numberOf(sent)} sent`,
    ...(waiting > 0 ? [`${numberOf(waiting)} to go`] : []),
    ...(failed > 0 ? [`${numberOf(failed)} failed`] : []),
    ...(excluded > 0 ? [`${numberOf(excluded)} left out`] : []),
  ].join(' · ')

const pathOf = (reportUrl: string): string => {
  const { pathname, search } = new URL(reportUrl)
  return `${pathname}${search}`
}

const row = (campaign: OutboxCampaign): Html => {
  const { campaignId, name, status, expanding, scheduledTo, reportUrl } = campaign
  const isRunning = status === 'being-sent'
  const when =
    scheduledTo === undefined
      ? undefined
      : html`<time datetime="${scheduledTo}">${dayOf(scheduledTo)}, ${timeOf(scheduledTo)}</time>`
  return html`<li>
<div class="line"><a id="campaign-${campaignId}" href="${pathOf(reportUrl)}">${name}</a><span>${words[status] ?? status}${expanding ? ', finding recipients' : ''}</span></div>
${isRunning ? html`<progress aria-labelledby="campaign-${campaignId}" max="100" value="${percentDone(campaign)}"></progress>` : undefined}
<div class="line"><small>${countsOf(campaign)}</small>${when}</div>
</li>
`
}

/** Rendered even when empty, so that the script finds its element. */
export const campaignsPart = (base: string, campaigns: readonly OutboxCampaign[]): Html =>
  html`<section id="campaigns" data-from="${base}/campaigns" data-every="${campaigns.some(({ status }) => status === 'being-sent') ? 1 : 5}">
${campaigns.length === 0 ? undefined : html`<h2 class="part">Campaigns</h2><ul class="campaigns">${campaigns.map(row)}</ul>`}
</section>`

/** Refreshes while the page is visible and no campaign has the focus. */
export const campaignsScript = `
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

/** Content-Security-Policy source that allows this script only. */
export const campaignsScriptSource = `'sha256-${createHash('sha256').update(campaignsScript).digest('base64')}'`
