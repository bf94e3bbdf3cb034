import { type Html, html, type Messages, type OpenedReport } from '@posthorn/core/ports/transport'
import type { Speech } from './speech.js'

const whyOf = (say: Messages): Readonly<Record<OpenedReport['report']['exclusions'][number]['reason'], string>> => ({
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

/** A relay's message without email addresses: holders of the link see numbers only. */
export const withoutAddresses = (message: string): string =>
  message
    .slice(0, 200)
    .split(' ')
    .map((word) => (word.includes('@') ? '…' : word))
    .join(' ')

/** Recipients who got no mail, by reason. */
export const missed = ({ say, count }: Speech, { report }: OpenedReport): Html => {
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
