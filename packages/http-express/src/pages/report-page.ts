import type { Core, Log } from '@posthorn/core'
import { fillPlaceholders, Html, html, type PublicCampaignReport } from '@posthorn/core/ports/transport'
import express, { type Router } from 'express'
import { type HtmlPage, type PageContext, pageContextOf, problemPageHandler, sendPage } from './page.js'
import {
  deliverySection,
  figuresSection,
  filledPageMessage,
  formattersFor,
  linksSection,
  missedRecipientsSection,
  overTimeSection,
  type PageFormatters,
} from './report-sections.js'

const reportStyle = new Html(`
:root { --bad: #b4392c; --idle: #838c99; --rail: #ebe8e2; --second: #3f7f6e }
@media (prefers-color-scheme: dark) { :root { --bad: #f0958b; --idle: #8a94a3; --rail: #2b323c; --second: #7fc4b1 } }
.page { max-width: 56rem }
.card { padding: clamp(1.25rem, 5vw, 2.75rem) }
h1 { font-size: clamp(1.45rem, 4vw, 1.9rem); letter-spacing: -.01em; margin-bottom: .25rem }
.lead { margin: 0; color: var(--soft) }
.state { display: flex; flex-wrap: wrap; gap: .15rem 1.25rem; align-items: baseline; margin: .6rem 0 0; color: var(--soft); font-size: .9375rem }
.state .status { font-size: inherit; white-space: normal }
section { margin-top: 2.5rem }
section h2 { font-size: 1.125rem; margin: 0 0 .9rem }
dl { margin: 0 }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 1.5rem 1.25rem; margin-top: 1.75rem }
.figures div { border-top: 2px solid var(--line); padding-top: .7rem }
.figures dt { color: var(--soft); font-size: .875rem }
.figures dd { margin: 0 }
.figures .number { font-size: 1.9rem; line-height: 1.2; font-weight: 600; letter-spacing: -.02em; font-variant-numeric: tabular-nums }
.figures .beside { color: var(--soft); font-size: .875rem; font-variant-numeric: tabular-nums }
.more { display: flex; flex-wrap: wrap; gap: .3rem 2rem; margin-top: 1.25rem; font-size: .9375rem }
.more div { display: flex; gap: .5rem }
.more dt { color: var(--soft) }
.more dd { margin: 0; font-variant-numeric: tabular-nums }
svg { display: block }
.stack { border-radius: 5px }
.sent, .opens { fill: var(--accent) } .clicks { fill: var(--second) } .failed, .bounces { fill: var(--bad) } .excluded { fill: var(--idle) }
.waiting, .rail { fill: var(--rail) }
.gap { stroke: var(--card); stroke-width: 2 }
.swatch { display: inline-block; margin-right: .55rem; flex: none }
.swatch .waiting { stroke: var(--idle) }
.legend { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: .6rem 1.25rem; margin-top: .9rem }
.legend dt { display: flex; align-items: baseline; color: var(--soft); font-size: .875rem }
.legend dd { margin: 0 0 0 1.2rem; font-variant-numeric: tabular-nums }
.series { margin-top: 1.4rem }
.series + .series { margin-top: 1.1rem }
.series h3 { font-size: .9375rem; margin: 0 }
.series .head { margin-bottom: .35rem; font-size: .9375rem }
.series .head span { color: var(--soft); font-size: .875rem; font-variant-numeric: tabular-nums }
.chart .base { stroke: var(--idle) } .chart .tick { stroke: var(--line) }
.axis { overflow: visible; margin-top: .15rem } .axis text { fill: var(--soft); font-size: 12px; font-variant-numeric: tabular-nums }
.note, p.small { font-size: .875rem } p.small { margin: .75rem 0 0; color: var(--soft) }
.data { margin-top: 1rem } .data summary { font-size: .875rem; font-weight: 400; min-height: 2.25rem; padding: .3rem .8rem; border-color: var(--line) }
.scroll { overflow-x: auto; max-height: 24rem; overflow-y: auto; margin-top: .75rem }
table { width: 100%; border-collapse: collapse; font-size: .9375rem }
th { text-align: left; font-weight: 600; font-size: .8125rem; color: var(--soft); vertical-align: bottom }
th, td { padding: .55rem 1rem .55rem 0; border-bottom: 1px solid var(--line) }
tr > :last-child { padding-right: 0 }
td { vertical-align: top; overflow-wrap: anywhere }
.number, td.n, th.n { font-variant-numeric: tabular-nums }
td.n, th.n { text-align: right; white-space: nowrap; width: 1%; overflow-wrap: normal }
.share { margin-top: .4rem } .nothing { margin-top: 1.75rem }
td small { color: var(--soft); font-size: .8125rem } td:not(.link) small { display: block }
.link small::before { content: "· " }
.link { font-size: .9375rem; line-height: 1.4 }
.bottom { margin: 2.5rem 0 0; font-size: .8125rem; color: var(--soft) }
@media (max-width: 34rem) {
#links th:last-child, #links td:last-child { display: none }
#links th:nth-last-child(2), #links td:nth-last-child(2) { padding-right: 0 }
  .figures, .legend { grid-template-columns: 1fr 1fr }
}
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --card: #fff; --line: #ccc; --accent: #1f5fa8; --bad: #b4392c; --idle: #838c99; --rail: #ebe8e2; --second: #3f7f6e }
  @page { margin: 16mm }
  body { font-size: 10.5pt } .page { max-width: none; padding: 0 } .card { border: 0; padding: 0; box-shadow: none }
  .data, .screen { display: none }
  svg { print-color-adjust: exact }
  section { margin-top: 1.75rem } section, .series, tr { break-inside: avoid } h2 { break-after: avoid }
}
`)

/** Reloads while visible; keeps parts in use. */
const script = new Html(`
{
  const inUse = (part) => part.contains(document.activeElement) || part.querySelector('details[open]')
  const refresh = async () => {
    if (document.visibilityState !== 'visible') return
    const answer = await fetch(location.href)
    if (!answer.ok) return
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
    const parts = document.querySelectorAll('[data-live]')
    if (next.querySelectorAll('[data-live]').length !== parts.length) return location.reload()
    for (const part of parts) {
      const now = next.getElementById(part.id)
      if (now && !inUse(part) && now.outerHTML !== part.outerHTML) part.replaceWith(document.adoptNode(now))
    }
  }
  const wait = () => {
    const seconds = Number(document.getElementById('state').dataset.every)
    setTimeout(() => refresh().catch(() => {}).finally(wait), seconds * 1000)
  }
  wait()
}
`)

/** Seconds between reloads. */
const refreshed = { sending: 3, sent: 30 } as const

const stateOf = ({ say, count, moment }: PageFormatters, { report, sentAt }: PublicCampaignReport): Html => {
  const { status, recipients, waiting, errorMessage } = report
  if (status === 'being-sent')
    return html`<span class="status on" role="status">${fillPlaceholders(say.reportSending, { done: count(recipients - waiting), all: count(recipients) })}</span>`
  if (status === 'error')
    return html`<span class="status">${fillPlaceholders(say.reportStopped, { reason: errorMessage ?? '' })}</span>`
  if (sentAt === undefined) return html`<span class="status">${say.reportDraft}</span>`
  return html`<span class="status on">${filledPageMessage(say.reportSent, 'date', moment(sentAt))}</span>`
}

/** Merge tags become their fallbacks, or dots. */
export const subjectWithoutMergeTags = (subject: string): string =>
  subject
    .split('{{')
    .map((part, index) => {
      const end = part.indexOf('}}')
      if (index === 0 || end === -1) return part
      const [, otherwise = '…'] = part.slice(0, end).split(/["']/)
      return `${otherwise}${part.slice(end + 2).replace(/^\}/, '')}`
    })
    .join('')

/** Without addresses of recipients. Works without script. */
const reportPage = (opened: PublicCampaignReport, reader: PageContext): HtmlPage => {
  const { report, timeline, countedAt } = opened
  const speech = formattersFor(reader, timeline.timeZone)
  const { say, moment } = speech
  const { recipientsRemovedAt } = report
  const hasHappened = report.recipients > 0 || timeline.buckets.length > 0
  const isOpen = report.status === 'being-sent' || report.status === 'scheduled'
  return {
    title: report.name,
    tab: `${report.name} · ${say.reportTitle}`,
    style: reportStyle,
    script,
    asks: true,
    content: html`<p class="lead">${subjectWithoutMergeTags(report.subject)}</p>
<p class="state" id="state" data-live data-every="${isOpen ? refreshed.sending : refreshed.sent}">${stateOf(speech, opened)}</p>
${hasHappened ? [figuresSection, deliverySection, overTimeSection, linksSection, missedRecipientsSection].map((part) => part(speech, opened)) : html`<p class="nothing">${report.status === 'sent' ? say.reportNobody : say.reportNothingYet}</p>`}
<p class="bottom" id="counted" data-live>${filledPageMessage(say.reportCounted, 'date', moment(countedAt))}${recipientsRemovedAt !== undefined && html` ${filledPageMessage(say.reportRemoved, 'date', moment(recipientsRemovedAt))}`} <a class="screen" href="">${say.reportReload}</a></p>`,
  }
}

/** The signed link is the only credential. */
export const reportPages = (core: Core, log: Log): Router => {
  const router = express.Router()
  router.get('/report', async (request, response) => {
    const opened = await core.campaignReports.opened(request.query.token)
    const reader = await pageContextOf(core, request)
    sendPage(response, reportPage(opened, reader), reader)
  })
  router.use(problemPageHandler(core, log))
  return router
}
