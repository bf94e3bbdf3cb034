import { type Html, html } from './html.js'
import { style } from './style.js'

export const horn: Html = html`<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true" focusable="false"><path d="M2 7.5v5M2 10h11c7 0 12-1.5 17-6v14c-3-3-6-5-10-5.7"/><circle cx="12.5" cy="18.5" r="8.5"/><circle cx="12.5" cy="18.5" r="4.5"/></svg>`

/** Mount point, such as `/outbox`. */
export type Place = { readonly base: string }

const styleElement: Html = { html: `<style>${style}</style>` }

export const layout = (
  { base }: Place,
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
${
  script === undefined
    ? undefined
    : {
        html: `<script>${script}</script>
`,
      }
}</body>
</html>
`.html
