import {
  fillPlaceholders,
  type Html,
  html,
  type Messages,
  type PublicCampaignReport,
  type TimelineMetric,
} from '@posthorn/core/ports/transport'
import { messagesFor, type PageContext } from './page.js'
import { type AxisTick, axis, barChart, shareBar, stackedBar, swatch } from './report-charts.js'

export type PageFormatters = {
  readonly say: Messages
  readonly count: (n: number) => string
  readonly share: (part: number, whole: number) => string
  readonly moment: (instant: string) => Html
  readonly clock: (local: string, options: Intl.DateTimeFormatOptions) => string
  readonly list: (items: readonly string[]) => string
}

export const formattersFor = (reader: PageContext, timeZone: string): PageFormatters => {
  const locale = reader.language === 'en' ? 'en-GB' : reader.language
  const number = new Intl.NumberFormat(locale)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone })
  const formats = new Map<string, Intl.DateTimeFormat>()
  const formatOf = (options: Intl.DateTimeFormatOptions) => {
    const key = JSON.stringify(options)
    const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    formats.set(key, format)
    return format
  }
  return {
    say: messagesFor(reader),
    count: (n) => number.format(n),
    share: (part, whole) => percent.format(whole === 0 ? 0 : part / whole),
    moment: (instant) => html`<time datetime="${instant}">${date.format(new Date(instant))}</time>`,
    clock: (local, options) => formatOf(options).format(new Date(`${local.padEnd(10, '-01').slice(0, 16)}Z`)),
    list: (items) => new Intl.ListFormat(locale, { type: 'conjunction' }).format(items),
  }
}

export const filledPageMessage = (message: string, place: string, value: Html): Html => {
  const [before = '', after = ''] = message.split(`{${place}}`)
  return html`${before}${value}${after}`
}

const figure = (name: string, number: string, beside: string): Html =>
  html`<div><dt>${name}</dt><dd class="number">${number}</dd><dd class="beside">${beside}</dd></div>`

export const figuresSection = ({ say, count, share }: PageFormatters, { report }: PublicCampaignReport): Html => {
  const { sent, uniqueOpens, opens, uniqueClicks, clicks, bounced, recipients } = report
  const rated = (n: number, times: number) =>
    times > n ? `${share(n, sent)} · ${fillPlaceholders(say.reportTimes, { n: count(times) })}` : share(n, sent)
  const more = [
    [say.reportComplained, report.complained],
    [say.reportUnsubscribed, report.unsubscribed],
    [say.reportPaused, report.paused],
  ] as const
  return html`<section id="figures" data-live aria-label="${say.reportFigures}">
<dl class="figures">
${figure(say.reportSentMails, count(sent), fillPlaceholders(say.reportOfRecipients, { n: count(recipients) }))}
${figure(say.reportOpened, count(uniqueOpens), rated(uniqueOpens, opens))}
${figure(say.reportClicked, count(uniqueClicks), rated(uniqueClicks, clicks))}
${figure(say.reportBounced, count(bounced), share(bounced, sent))}
</dl>
<dl class="more">${more.map(([name, n]) => html`<div><dt>${name}</dt><dd>${count(n)}</dd></div>`)}</dl>
</section>`
}

export const deliverySection = (
  { say, count, share, list }: PageFormatters,
  { report }: PublicCampaignReport,
): Html => {
  const { recipients } = report
  const parts = [
    { kind: 'sent', name: say.reportSentMails, n: report.sent },
    { kind: 'failed', name: say.reportFailed, n: report.failed },
    { kind: 'excluded', name: say.reportExcluded, n: report.excluded },
    { kind: 'waiting', name: say.reportWaiting, n: report.waiting },
  ].filter(({ kind, n }) => n > 0 || kind !== 'waiting')
  const description = list(parts.map(({ name, n }) => `${name} ${count(n)}`))
  return html`<section id="delivery" data-live><h2>${say.reportDelivery}</h2>
${stackedBar('delivery-bar', parts, { title: say.reportDelivery, description })}
<dl class="legend">${parts.map(
    ({ kind, name, n }) =>
      html`<div><dt>${swatch(kind)}${name}</dt><dd>${count(n)} <span class="soft">(${share(n, recipients)})</span></dd></div>`,
  )}</dl></section>`
}

type Interval = PublicCampaignReport['timeline']['interval']

const spelledFully: Readonly<Record<Interval, Intl.DateTimeFormatOptions>> = {
  hourly: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  daily: { day: 'numeric', month: 'long', year: 'numeric' },
  weekly: { day: 'numeric', month: 'long', year: 'numeric' },
  monthly: { month: 'long', year: 'numeric' },
}
const spelledShort: Readonly<Record<Interval, Intl.DateTimeFormatOptions>> = {
  hourly: { hour: '2-digit', minute: '2-digit' },
  daily: { day: 'numeric', month: 'short' },
  weekly: { day: 'numeric', month: 'short' },
  monthly: { month: 'short', year: '2-digit' },
}

/** Labels that fit on a phone. */
const mostTicks = 5

/** At the starts of days, else at equal distances. */
const ticksOf = ({ clock }: PageFormatters, interval: Interval, periods: readonly string[]): readonly AxisTick[] => {
  const days = interval === 'hourly' && periods.length > 30
  const every = Math.ceil(periods.length / mostTicks)
  const at = periods.flatMap((period, index) => {
    if (days) return period.endsWith('T00:00') ? [index] : []
    return index % every === 0 ? [index] : []
  })
  const thinned = at.filter((_, index) => index % Math.ceil(at.length / mostTicks) === 0)
  const spelled = days ? spelledShort.daily : spelledShort[interval]
  const hasRoom = days && (thinned[0] ?? 0) > periods.length / 6
  return [...(hasRoom ? [0] : []), ...thinned].map((index) => ({
    at: index,
    label: clock(periods[index] ?? '', spelled),
  }))
}

const series = ({ say }: PageFormatters): readonly (readonly [TimelineMetric, string])[] => [
  ['sent', say.reportSentMails],
  ['opens', say.reportOpens],
  ['clicks', say.reportClicks],
  ['bounces', say.reportBounces],
]

const peaks = {
  hourly: 'reportPeakHourly',
  daily: 'reportPeakDaily',
  weekly: 'reportPeakWeekly',
  monthly: 'reportPeakMonthly',
} as const satisfies Record<Interval, keyof Messages>

export const overTimeSection = (speech: PageFormatters, { timeline }: PublicCampaignReport): Html => {
  const { say, count, clock, list } = speech
  const { interval, buckets, later, timeZone } = timeline
  const title = html`<h2>${say.reportOverTime}</h2>`
  if (buckets.length === 0)
    return html`<section id="time" data-live>${title}<p class="soft">${say.reportNothingYet}</p></section>`
  const named = buckets.map((bucket) => ({ ...bucket, when: clock(bucket.period, spelledFully[interval]) }))
  const ticks = ticksOf(
    speech,
    interval,
    buckets.map(({ period }) => period),
  )
  const charts = series(speech).flatMap(([metric, name]) => {
    const all = buckets.reduce((sum, bucket) => sum + bucket[metric], 0)
    if (all === 0) return []
    const peak = fillPlaceholders(say[peaks[interval]], {
      n: count(Math.max(0, ...buckets.map((bucket) => bucket[metric]))),
    })
    const bars = named.map((bucket) => ({ n: bucket[metric], label: `${bucket.when}: ${count(bucket[metric])}` }))
    const description = `${count(all)} · ${peak}`
    return html`<div class="series ${metric}-series"><div class="head"><h3>${name}</h3><span>${description}</span></div>
<div class="${metric}">${barChart(`time-${metric}`, bars, { title: `${name}: ${say.reportOverTime}`, description, ticks })}</div></div>`
  })
  const happened = named.filter((bucket) => series(speech).some(([metric]) => bucket[metric] > 0))
  const afterwards = series(speech).filter(([metric]) => later[metric] > 0)
  const table = html`<details class="data"><summary>${say.reportTable}</summary><div class="scroll" tabindex="0" role="region" aria-label="${say.reportOverTime}"><table>
<thead><tr><th scope="col">${say.reportWhen}</th>${series(speech).map(([, name]) => html`<th scope="col" class="n">${name}</th>`)}</tr></thead>
<tbody>${happened.map(
    (bucket) =>
      html`<tr><td>${bucket.when}</td>${series(speech).map(([metric]) => html`<td class="n">${count(bucket[metric])}</td>`)}</tr>\n`,
  )}</tbody></table></div></details>`
  const laterText = list(afterwards.map(([metric, name]) => `${name} ${count(later[metric])}`))
  return html`<section id="time" data-live>${title}
${charts}${axis(ticks, buckets.length)}
${afterwards.length > 0 && html`<p class="small">${fillPlaceholders(say.reportLater, { list: laterText })}</p>`}
<p class="small">${fillPlaceholders(say.reportZone, { zone: timeZone })} ${say.reportOpensNote}</p>
${table}</section>`
}

/** Without `https://`, with line-break opportunities. */
const breakable = (link: string): readonly Html[] =>
  link
    .replace(/^https:\/\//, '')
    .split(/(?<=[/?&=])/)
    .map((part) => html`${part}<wbr>`)

export const linksSection = ({ say, count, share }: PageFormatters, { report }: PublicCampaignReport): Html => {
  const { links: followed, otherClicks, otherUniqueClicks, clicks } = report
  const title = html`<h2>${say.reportLinks}</h2>`
  if (followed.length === 0 && otherClicks === 0)
    return html`<section id="links" data-live>${title}<p class="soft">${say.reportNoClicks}</p></section>`
  const most = Math.max(1, otherClicks, ...followed.map((one) => one.clicks))
  const whole = Math.max(
    clicks,
    followed.reduce((sum, one) => sum + one.clicks, otherClicks),
  )
  const row = (name: Html, n: number, mails: number) =>
    html`<tr><td class="link">${name}${shareBar(n / most, 'clicks')}</td><td class="n">${count(n)}</td><td class="n">${count(mails)}</td><td class="n">${share(n, whole)}</td></tr>\n`
  return html`<section id="links" data-live>${title}
<table><thead><tr><th scope="col">${say.reportLink}</th><th scope="col" class="n">${say.reportClicks}</th><th scope="col" class="n">${say.reportRecipients}</th><th scope="col" class="n">${say.reportShare}</th></tr></thead>
<tbody>${followed.map((one) => row(html`${breakable(one.link)}${one.blockName !== undefined && html` <small>${one.blockName}</small>`}`, one.clicks, one.uniqueClicks))}${otherClicks > 0 ? row(html`${say.reportOtherLinks}`, otherClicks, otherUniqueClicks) : html``}</tbody></table></section>`
}

const whyOf = (
  say: Messages,
): Readonly<Record<PublicCampaignReport['report']['exclusions'][number]['reason'], string>> => ({
  suppressed: say.reportWhySuppressed,
  unengaged: say.reportWhyUnengaged,
  unsubscribed: say.reportWhyUnsubscribed,
  paused: say.reportWhyPaused,
  unverified: say.reportWhyUnverified,
  'not-subscribed': say.reportWhyNotSubscribed,
  'invalid-address': say.reportWhyInvalidAddress,
  'no-credit': say.reportWhyNoCredit,
  stopped: say.reportWhyStopped,
})

/** Holders of the link see no addresses. */
export const withoutAddresses = (message: string): string =>
  message
    .slice(0, 200)
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word))
    .join(' ')

export const missedRecipientsSection = ({ say, count }: PageFormatters, { report }: PublicCampaignReport): Html => {
  const { failures, exclusions, failed, excluded, sent, waiting } = report
  const why = whyOf(say)
  const told = failures.reduce((sum, one) => sum + one.count, 0)
  const rows = [
    ...failures.map(({ name, message, count: n }) => ({
      n,
      cell: html`${say.reportFailed}: ${withoutAddresses(name)}<small>${withoutAddresses(message)}</small>`,
    })),
    ...(failed > told ? [{ n: failed - told, cell: html`${say.reportFailed}: ${say.reportOtherReasons}` }] : []),
    ...exclusions.map(({ reason, count: n }) => ({ n, cell: html`${why[reason]}` })),
  ].sort((a, b) => b.n - a.n)
  const text = sent > 0 && waiting === 0 ? say.reportNobodyMissed : say.reportNothingYet
  return html`<section id="missed" data-live><h2>${say.reportMissed}</h2>
${
  failed + excluded === 0
    ? html`<p class="soft">${text}</p>`
    : html`<table><thead><tr><th scope="col">${say.reportReason}</th><th scope="col" class="n">${say.reportRecipients}</th></tr></thead>
<tbody>${rows.map(({ n, cell }) => html`<tr><td>${cell}</td><td class="n">${count(n)}</td></tr>\n`)}</tbody></table>`
}</section>`
}
