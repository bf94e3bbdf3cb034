import { type Html, html, type OpenedReport } from '@posthorn/core/ports/transport'
import { shareBar } from './report-charts.js'
import type { Speech } from './speech.js'

/** A URL without `https://`, with opportunities for line breaks. */
const breakable = (link: string): readonly Html[] =>
  link
    .replace(/^https:\/\//, '')
    .split(/(?<=[/?&=])/)
    .map((part) => html`${part}<wbr>`)

/** The clicked links, with their clicks. */
export const links = ({ say, count, share }: Speech, { report }: OpenedReport): Html => {
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
