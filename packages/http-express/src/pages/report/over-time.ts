import {
  filled,
  type Html,
  html,
  type Messages,
  type OpenedReport,
  type TimelineMetric,
} from '@posthorn/core/ports/transport'
import { axis, barChart, type Tick } from './report-charts.js'
import type { Speech } from './speech.js'

type Interval = OpenedReport['timeline']['interval']

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

/** Labels where days begin if there are several, otherwise at equal distances. */
const ticksOf = ({ clock }: Speech, interval: Interval, periods: readonly string[]): readonly Tick[] => {
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

const series = ({ say }: Speech): readonly (readonly [TimelineMetric, string])[] => [
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

/** Charts of events per period, and the same numbers as a table. */
export const overTime = (speech: Speech, { timeline }: OpenedReport): Html => {
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
    const peak = filled(say[peaks[interval]], { n: count(Math.max(0, ...buckets.map((bucket) => bucket[metric]))) })
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
${afterwards.length > 0 && html`<p class="small">${filled(say.reportLater, { list: laterText })}</p>`}
<p class="small">${filled(say.reportZone, { zone: timeZone })} ${say.reportOpensNote}</p>
${table}</section>`
}
