import { filled, type Html, html, type OpenedReport } from '@posthorn/core/ports/transport'
import { stackedBar, swatch } from './report-charts.js'
import type { Speech } from './speech.js'

const figure = (name: string, number: string, beside: string): Html =>
  html`<div><dt>${name}</dt><dd class="number">${number}</dd><dd class="beside">${beside}</dd></div>`

/** The main figures of a campaign. */
export const figures = ({ say, count, share }: Speech, { report }: OpenedReport): Html => {
  const { sent, uniqueOpens, opens, uniqueClicks, clicks, bounced, recipients } = report
  const rated = (n: number, times: number) =>
    times > n ? `${share(n, sent)} · ${filled(say.reportTimes, { n: count(times) })}` : share(n, sent)
  const more = [
    [say.reportComplained, report.complained],
    [say.reportUnsubscribed, report.unsubscribed],
    [say.reportPaused, report.paused],
  ] as const
  return html`<section id="figures" data-live aria-label="${say.reportFigures}">
<dl class="figures">
${figure(say.reportSentMails, count(sent), filled(say.reportOfRecipients, { n: count(recipients) }))}
${figure(say.reportOpened, count(uniqueOpens), rated(uniqueOpens, opens))}
${figure(say.reportClicked, count(uniqueClicks), rated(uniqueClicks, clicks))}
${figure(say.reportBounced, count(bounced), share(bounced, sent))}
</dl>
<dl class="more">${more.map(([name, n]) => html`<div><dt>${name}</dt><dd>${count(n)}</dd></div>`)}</dl>
</section>`
}

/** The outcomes of all recipients, as parts of one bar. */
export const delivery = ({ say, count, share, list }: Speech, { report }: OpenedReport): Html => {
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
