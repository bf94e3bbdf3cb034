import { Html, html } from './html.js'

const style = new Html(`
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5a6472; --paper: #f5f4f1; --card: #fff; --line: #dcd9d2; --accent: #1f5fa8; --on-accent: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a4adba; --paper: #15181d; --card: #1e232b; --line: #363d48; --accent: #8ab8f0; --on-accent: #10151c }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif }
main { max-width: 36rem; margin: 0 auto; padding: 2rem 1rem }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 1.75rem }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .75rem }
h2 { font-size: 1.05rem; margin: 0 }
p { margin: 0 0 1rem } p:last-child { margin-bottom: 0 }
.soft { color: var(--soft) }
ul { list-style: none; margin: 1.25rem 0; padding: 0 }
li { border-top: 1px solid var(--line); padding: 1.1rem 0 }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin-top: .75rem }
label { font-size: .875rem; color: var(--soft) }
input[type=date] { display: block; font: inherit; color: inherit; background: transparent; border: 1px solid var(--line); border-radius: 8px; padding: .5rem .6rem; min-height: 2.75rem }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.1rem; border-radius: 8px; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer }
button.quiet { background: transparent; color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.status { font-size: .875rem; color: var(--soft); margin: .15rem 0 0 }
.note { border-left: 4px solid var(--accent); padding: .6rem .9rem; background: color-mix(in srgb, var(--accent) 10%, transparent); border-radius: 4px; margin-bottom: 1.25rem }
`)

/** A whole page: self-contained, without script, for phones and for both colour schemes. */
export const page = (title: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main><div class="card">
<h1>${title}</h1>
${content}
</div></main>
</body>
</html>
`.text
