import { createHash } from 'node:crypto'

/** Contrast is at least 4.5 in both schemes (WCAG 2.2, AA). */
export const outboxStyleSheet = `
:root {
  color-scheme: light dark;
  --paper: #f7f5f1; --sheet: #fffefc; --line: #e5e0d6; --ink: #23211d; --soft: #645e54;
  --accent: #7a4f08; --tint: #f5ecd8; --focus: #b27a14; --bar: #fffefcee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #171614; --sheet: #1f1e1b; --line: #35322d; --ink: #ece8e0; --soft: #aaa397;
    --accent: #e8bd6a; --tint: #322a1b; --focus: #e8bd6a; --bar: #1f1e1bee;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  -webkit-text-size-adjust: 100%; text-size-adjust: 100%;
}
a { color: var(--accent); text-underline-offset: .18em; text-decoration-thickness: .06em; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; border-radius: .3rem; }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: 1rem; top: -4rem; z-index: 2; background: var(--sheet); padding: .5rem 1rem; border-radius: .5rem; }
.skip:focus { top: .6rem; }
.bar { position: sticky; top: 0; z-index: 1; background: var(--bar); border-bottom: 1px solid var(--line); backdrop-filter: blur(8px); }
.bar > div, main, footer { max-width: 66rem; margin: 0 auto; padding-inline: clamp(1rem, 4vw, 2rem); }
.bar > div { display: flex; flex-wrap: wrap; align-items: center; gap: .6rem 1.5rem; padding-block: .7rem; }
.brand { display: flex; align-items: center; gap: .6rem; margin-right: auto; font-weight: 600; letter-spacing: .01em; color: var(--ink); text-decoration: none; }
.brand svg { width: 1.7rem; height: 1.7rem; color: var(--accent); }
.brand span { font-weight: 400; color: var(--soft); }
.search { display: flex; flex: 0 1 24rem; min-width: 0; gap: .5rem; }
input, button { font: inherit; color: inherit; border: 1px solid var(--line); border-radius: .55rem; padding: .4rem .8rem; }
input { flex: 1; min-width: 0; background: var(--paper); border-color: var(--soft); }
input::placeholder { color: var(--soft); opacity: 1; }
button { background: var(--tint); color: var(--accent); font-weight: 600; cursor: pointer; }
button:hover { border-color: var(--accent); }
main { padding-block: clamp(1.5rem, 4vw, 2.5rem) 3rem; }
h1 { margin: 0; font-size: clamp(1.4rem, 3.5vw, 1.85rem); line-height: 1.25; font-weight: 650; letter-spacing: -.012em; overflow-wrap: anywhere; }
.lead { margin: .3rem 0 1.4rem; color: var(--soft); }
.sheet { background: var(--sheet); border: 1px solid var(--line); border-radius: .9rem; overflow: hidden; }
.part { margin: 0 0 .6rem; font-size: 1.05rem; }
.campaigns { list-style: none; margin: 0 0 1.6rem; padding: 0; border: 1px solid var(--line); border-radius: .9rem; background: var(--sheet); }
.campaigns li { padding: .75rem 1.1rem; } .campaigns li + li { border-top: 1px solid var(--line); }
.line { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1rem; } .line a { font-weight: 600; overflow-wrap: anywhere; }
.line span, .line small { font-size: .85rem; color: var(--soft); font-variant-numeric: tabular-nums; }
progress { display: block; width: 100%; height: .5rem; margin: .45rem 0 .35rem; appearance: none; border: 0; border-radius: .25rem; background: var(--line); overflow: hidden; }
progress::-webkit-progress-bar { background: var(--line); } progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
.mails { list-style: none; margin: 0; padding: 0; }
.mails li + li { border-top: 1px solid var(--line); }
.mails a {
  display: grid; grid-template-columns: auto minmax(0, 15rem) minmax(0, 1fr) auto; gap: 0 1rem; align-items: center;
  padding: .7rem 1.1rem; color: inherit; text-decoration: none;
}
.mails a:hover { background: var(--tint); }
.mails a:focus-visible { outline-offset: -3px; border-radius: .9rem; }
.mono { display: grid; place-items: center; width: 2.1rem; height: 2.1rem; border-radius: 50%; font-size: .9rem; font-weight: 600; background: var(--tint); color: var(--accent); }
.who { font-weight: 600; } .who, .what { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.what small { display: block; overflow: hidden; text-overflow: ellipsis; }
small, time, .when { font-size: .85rem; color: var(--soft); }
time, .when { white-space: nowrap; font-variant-numeric: tabular-nums; }
.when { text-align: right; } .when time { display: block; }
.empty { padding: clamp(2.5rem, 8vw, 5rem) 1.5rem; text-align: center; color: var(--soft); }
.empty svg { width: 4rem; height: 4rem; color: var(--line); }
.empty h2 { margin: .6rem 0 .2rem; font-size: 1.15rem; color: var(--ink); }
.empty p { margin: 0 auto; max-width: 34rem; }
.pages { display: flex; justify-content: space-between; align-items: center; gap: 1rem; margin-top: 1.1rem; color: var(--soft); font-variant-numeric: tabular-nums; }
.pages a, .pages [aria-disabled] { padding: .4rem .9rem; border: 1px solid var(--line); border-radius: .55rem; background: var(--sheet); text-decoration: none; font-weight: 600; }
.pages a:hover { border-color: var(--accent); } .pages [aria-disabled] { color: var(--soft); background: none; font-weight: 400; }
.back { display: inline-block; margin-bottom: .9rem; text-decoration: none; font-weight: 600; font-size: .95rem; }
.back:hover { text-decoration: underline; }
.facts { display: grid; grid-template-columns: auto minmax(0, 1fr); gap: .15rem 1rem; margin: .9rem 0 1.5rem; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; } .facts time { font-size: inherit; color: inherit; }
.tabs { display: flex; gap: .2rem; overflow-x: auto; padding: .45rem .6rem 0; border-bottom: 1px solid var(--line); scrollbar-width: thin; }
.tabs a { padding: .5rem .85rem .6rem; border-bottom: 2px solid transparent; color: var(--soft); text-decoration: none; white-space: nowrap; }
.tabs a:hover { color: var(--ink); } .tabs a:focus-visible { outline-offset: -3px; }
.tabs [aria-current] { color: var(--accent); border-color: var(--accent); font-weight: 600; }
.tabs .count { display: inline-block; min-width: 1.3rem; margin-left: .3rem; padding: 0 .35rem; border-radius: 1rem; background: var(--tint); color: var(--accent); font-size: .8rem; text-align: center; }
.tabs .aside { margin-left: auto; }
.note { display: flex; flex-wrap: wrap; gap: .1rem .8rem; margin: 0; padding: .55rem 1.1rem; background: var(--tint); border-bottom: 1px solid var(--line); font-size: .9rem; }
iframe { display: block; width: 100%; height: max(28rem, calc(100vh - 22rem)); border: 0; background: #fff; color-scheme: light; }
pre { margin: 0; padding: 1.2rem; white-space: pre-wrap; overflow-wrap: anywhere; font: .9rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
pre.text { font-size: .95rem; max-width: 80ch; }
.fields { width: 100%; border-collapse: collapse; font-size: .92rem; }
.fields th, .fields td { padding: .5rem 1.1rem; text-align: left; vertical-align: top; }
.fields tr + tr > * { border-top: 1px solid var(--line); }
.fields th { width: 16.5rem; font-weight: 600; color: var(--soft); overflow-wrap: anywhere; }
.fields td { overflow-wrap: anywhere; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .87rem; }
.files { list-style: none; margin: 0; padding: 0; }
.files li { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem 1rem; padding: .8rem 1.1rem; }
.files li + li { border-top: 1px solid var(--line); }
.files a { font-weight: 600; overflow-wrap: anywhere; } .files small { margin-left: auto; }
footer { padding-block: 0 2.5rem; font-size: .85rem; color: var(--soft); }
@media (max-width: 44rem) {
  .search { flex: 1 1 100%; } .search input { width: 0; }
  .mails a { grid-template-columns: auto minmax(0, 1fr); gap: 0 .8rem; padding: .75rem .9rem; }
  .mono { grid-row: span 3; align-self: start; margin-top: .15rem; }
  .what small, .when small { display: none; } .when { text-align: left; }
  .fields, .fields tbody, .fields tr, .fields th, .fields td { display: block; width: auto; }
  .fields th { padding-bottom: 0; } .fields td { padding-top: .1rem; border-top: 0; } .fields tr + tr > td { border-top: 0; }
  .tabs .aside { margin-left: 0; }
  iframe { height: max(24rem, calc(100vh - 16rem)); }
}
@media print { .bar, .pages, .tabs, .back { display: none; } }
`

export const outboxStyleHash = `'sha256-${createHash('sha256').update(outboxStyleSheet).digest('base64')}'`
