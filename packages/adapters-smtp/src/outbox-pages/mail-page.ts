import { type Html, html } from '@posthorn/core/ports/transport'
import type { OutboxMail } from '../outbox/outbox.js'
import { formatDay, formatNumber, formatSize, formatTimeUtc, layout, type OutboxMount } from './layout.js'
import { hasRemoteContent } from './message-frame.js'

const mailTabs = ['html', 'text', 'headers', 'source', 'attachments'] as const
export type MailTab = (typeof mailTabs)[number]

export type OutboxMailView = OutboxMount & {
  readonly mail: OutboxMail
  readonly tab: MailTab
  /** Remote images reveal to their server that the mail was opened. */
  readonly remoteImages: boolean
}

const titles: Readonly<Record<MailTab, string>> = {
  html: 'HTML',
  text: 'Text',
  headers: 'Headers',
  source: 'Source',
  attachments: 'Attachments',
}

export const mailTabsOf = ({ html: body, text, attachments }: OutboxMail): readonly MailTab[] =>
  mailTabs.filter((tab) => {
    if (tab === 'html') return body !== undefined
    if (tab === 'text') return text !== undefined
    return tab !== 'attachments' || attachments.length > 0
  })

const webAddress = /(https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]])/

const linked = (text: string): readonly Html[] =>
  text
    .split(webAddress)
    .map((piece, index) =>
      index % 2 === 1
        ? html`<a href="${piece}" target="_blank" rel="noopener noreferrer nofollow">${piece}</a>`
        : html`${piece}`,
    )

const panels: Readonly<Record<MailTab, (view: OutboxMailView) => Html>> = {
  html: ({ base, mail: { id, html: body = '' }, remoteImages }) => {
    const query = remoteImages ? '?images=remote' : ''
    const note =
      !remoteImages && hasRemoteContent(body)
        ? html`<p class="note">Remote images are not loaded, so nobody learns that this mail was opened. <a href="${base}/${id}?images=remote">Load them</a></p>`
        : undefined
    return html`${note}<iframe title="The mail as HTML" src="${base}/${id}/html${query}" sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer"></iframe>`
  },
  text: ({ mail: { text = '' } }) => html`<pre class="text" tabindex="0">${linked(text)}</pre>`,
  headers: ({
    mail: { headers },
  }) => html`<table class="fields"><caption class="hidden">Header fields, in their order</caption><tbody>
${headers.map(({ name, value }) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`)}</tbody></table>`,
  source: ({ mail: { source } }) => html`<pre tabindex="0">${source}</pre>`,
  attachments: ({ base, mail: { id, attachments } }) => html`<ul class="files">
${attachments.map(
  ({ index, filename, contentType, size }) =>
    html`<li><a href="${base}/${id}/attachments/${index}" download="${filename}">${filename}</a> <small>${contentType}, ${formatSize(size)}</small></li>\n`,
)}</ul>`,
}

/** Tabs are links: the page needs no script. */
export const outboxMailPage = (view: OutboxMailView): string => {
  const { base, mail, tab } = view
  const { id, from, to, subject, date, size, attachments } = mail
  const tabs = mailTabsOf(mail).map((one) => {
    const count =
      one === 'attachments' ? html` <span class="count">${formatNumber(attachments.length)}</span>` : undefined
    const current = one === tab ? html` aria-current="page"` : undefined
    return html`<a href="${base}/${id}${one === 'html' ? '' : `/${one}`}"${current}>${titles[one]}${count}</a>\n`
  })
  return layout(view, {
    title: `${subject || '(no subject)'} · Outbox · Posthorn`,
    main: html`<a class="back" href="${base}">← All mails</a>
<article aria-labelledby="subject">
<h1 id="subject">${subject || '(no subject)'}</h1>
<dl class="facts">
<dt>From</dt><dd>${from || '(nobody)'}</dd>
<dt>To</dt><dd>${to || '(nobody)'}</dd>
<dt>Date</dt><dd><time datetime="${date}">${formatDay(date)}, ${formatTimeUtc(date)}</time> <small>· ${formatSize(size)}</small></dd>
</dl>
<div class="sheet">
<nav class="tabs" aria-label="Parts of the mail">
${tabs}<a class="aside" href="${base}/${id}/download" download>Download .eml</a>
</nav>
<section aria-label="${titles[tab]}">
${panels[tab](view)}
</section>
</div>
</article>`,
  })
}
