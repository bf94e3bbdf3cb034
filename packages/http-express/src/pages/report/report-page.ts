import { filled, Html, html, type OpenedReport } from '@posthorn/core/ports/transport'
import type { Page } from '../page.js'
import type { Reader } from '../reader.js'
import { delivery, figures } from './figures.js'
import { links } from './links.js'
import { missed } from './missed.js'
import { overTime } from './over-time.js'
import { reportStyle } from './report-style.js'
import { filledHtml, type Speech, speechOf } from './speech.js'

/** Loads the page again from time to time while it is visible, and replaces the parts that changed, except parts in use. */
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

/** Seconds between two loads, while the campaign is being sent and afterwards. */
const refreshed = { sending: 3, sent: 30 } as const

const stateOf = ({ say, count, moment }: Speech, { report, sentAt }: OpenedReport): Html => {
  const { status, recipients, waiting, errorMessage } = report
  if (status === 'being-sent')
    return html`<span class="status on" role="status">${filled(say.reportSending, { done: count(recipients - waiting), all: count(recipients) })}</span>`
  if (status === 'error')
    return html`<span class="status">${filled(say.reportStopped, { reason: errorMessage ?? '' })}</span>`
  if (sentAt === undefined) return html`<span class="status">${say.reportDraft}</span>`
  return html`<span class="status on">${filledHtml(say.reportSent, 'date', moment(sentAt))}</span>`
}

/** A subject with each merge tag replaced by its fallback, or else by dots. */
export const subjectForPeople = (subject: string): string =>
  subject
    .split('{{')
    .map((part, index) => {
      const end = part.indexOf('}}')
      if (index === 0 || end === -1) return part
      const [, otherwise = '…'] = part.slice(0, end).split(/["']/)
      return `${otherwise}${part.slice(end + 2).replace(/^\}/, '')}`
    })
    .join('')

/**
 * The report of a campaign for people: numbers, charts with their tables, and no recipient's address. It works without script, which only
 * keeps it up to date.
 */
export const reportPage = (opened: OpenedReport, reader: Reader): Page => {
  const { report, timeline, countedAt } = opened
  const speech = speechOf(reader, timeline.timeZone)
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
    content: html`<p class="lead">${subjectForPeople(report.subject)}</p>
<p class="state" id="state" data-live data-every="${isOpen ? refreshed.sending : refreshed.sent}">${stateOf(speech, opened)}</p>
${hasHappened ? [figures, delivery, overTime, links, missed].map((part) => part(speech, opened)) : html`<p class="nothing">${report.status === 'sent' ? say.reportNobody : say.reportNothingYet}</p>`}
<p class="bottom" id="counted" data-live>${filledHtml(say.reportCounted, 'date', moment(countedAt))}${recipientsRemovedAt !== undefined && html` ${filledHtml(say.reportRemoved, 'date', moment(recipientsRemovedAt))}`} <a class="screen" href="">${say.reportReload}</a></p>`,
  }
}
