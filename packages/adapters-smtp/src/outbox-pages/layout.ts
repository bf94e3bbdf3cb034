import { Html, html } from '@posthorn/core/ports/transport'
import { outboxStyleSheet } from './style.js'

/** Formats are slow to create; most programs show no page. */
const once = <T>(make: () => T): (() => T) => {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const day = once(
  () => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }),
)
const minute = once(() => new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' }))
const whole = once(() => new Intl.NumberFormat('en-GB'))
const oneDigit = once(() => new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1 }))

export const formatDay = (iso: string): string => day().format(new Date(iso))
export const formatTimeUtc = (iso: string): string => `${minute().format(new Date(iso))} UTC`
export const formatNumber = (n: number): string => whole().format(n)

export const formatSize = (bytes: number): string => {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1_000_000 ? `${oneDigit().format(bytes / 1_000)} kB` : `${oneDigit().format(bytes / 1_000_000)} MB`
}

export const mailboxDisplayName = (mailbox: string): string => {
  const [before = '', address] = mailbox.split('<', 2)
  const name = address === undefined ? '' : before.trim().replaceAll('"', '').trim()
  return name || (address ?? before).split('>', 1)[0]?.trim() || 'Nobody'
}

export const horn = html`<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><path d="M2 7.5v5M2 10h11c7 0 12-1.5 17-6v14c-3-3-6-5-10-5.7"/><circle cx="12.5" cy="18.5" r="8.5"/><circle cx="12.5" cy="18.5" r="4.5"/></svg>`

/** Such as `/outbox`. */
export type OutboxMount = { readonly base: string }

const styleElement = new Html(`<style>${outboxStyleSheet}</style>`)

export const layout = (
  { base }: OutboxMount,
  {
    title,
    search,
    main,
    script,
  }: {
    readonly title: string
    readonly search?: string | undefined
    readonly main: Html
    readonly script?: string | undefined
  },
): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${styleElement}
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><div>
<a class="brand" href="${base}">${horn}<div>Posthorn <span>Outbox</span></div></a>
<form class="search" role="search" action="${base}" method="get">
<label class="hidden" for="search">Search by sender, recipient or subject</label>
<input id="search" name="search" type="search" value="${search}" placeholder="Sender, recipient or subject" autocomplete="off">
<button type="submit">Search</button>
</form>
</div></header>
<main id="main" tabindex="-1">
${main}
</main>
<footer>Mails in the outbox were kept on this machine; none of them was sent.</footer>
${script !== undefined && new Html(`<script>${script}</script>\n`)}</body>
</html>
`.text
