import { createHash } from 'node:crypto'
import type { Core, Log, RefusalKind } from '@posthorn/core'
import {
  Html,
  html,
  type Language,
  languages,
  type Messages,
  type PageVisitor,
  standardLanguage,
} from '@posthorn/core/ports/transport'
import type { ErrorRequestHandler, Request, Response } from 'express'
import { type HttpRefusalKind, httpErrorsByKind, httpFailureOf } from '../errors.js'

export type PageContext = { readonly language: Language; readonly project?: PageVisitor['project'] }

export const messagesFor = ({ language }: PageContext): Messages => languages[language]

export const browserLanguage = (request: Request, otherwise: Language = standardLanguage): Language => {
  const known = [otherwise, ...Object.keys(languages)]
  const asked = request.acceptsLanguages(known)
  return known.find((one): one is Language => one === asked) ?? otherwise
}

/** By the link's token, then the browser. */
export const pageContextOf = async (core: Core, request: Request): Promise<PageContext> => {
  const { language, project, projectLanguage } = await core.pageReaders.of(request.query.token)
  return { language: language ?? browserLanguage(request, projectLanguage), ...(project && { project }) }
}

export const strangerPageContext = (request: Request): PageContext => ({ language: browserLanguage(request) })

const style = new Html(`
:root { color-scheme: light dark; --ink: #1d2430; --soft: #5a6472; --paper: #f5f4f1; --card: #fff; --line: #dcd9d2; --accent: #1f5fa8; --on-accent: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaee; --soft: #a4adba; --paper: #15181d; --card: #1e232b; --line: #363d48; --accent: #8ab8f0; --on-accent: #10151c }
}
*, ::before { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif }
.page { max-width: 37rem; margin: 0 auto; padding: clamp(1rem, 6vh, 4rem) 1rem }
.brand { display: flex; align-items: center; gap: .75rem; margin: 0 0 1rem; padding: 0 .25rem; font-weight: 600; overflow-wrap: anywhere }
.brand img { display: block; max-width: 10rem; max-height: 3rem }
@media (prefers-color-scheme: dark) { .brand img { padding: .25rem; border-radius: 8px; background: #fff } }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: clamp(1.25rem, 5vw, 2rem); box-shadow: 0 1px 2px #0000000d }
h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 .5rem; overflow-wrap: anywhere }
h2 { font-size: 1.05rem; line-height: 1.35; margin: 0; overflow-wrap: anywhere }
p { margin: 0 0 1rem; overflow-wrap: anywhere } p:last-child { margin-bottom: 0 }
.soft { color: var(--soft) }
ul { list-style: none; margin: 1.5rem 0 0; padding: 0 }
li, .all { border-top: 1px solid var(--line); padding: 1.25rem 0 }
.all { padding-bottom: 0 }
.head { display: flex; flex-wrap: wrap; gap: .15rem 1rem; align-items: baseline; justify-content: space-between }
.head + p { margin: .25rem 0 0 }
.status { font-size: .875rem; color: var(--soft); white-space: nowrap }
.status::before { content: ""; display: inline-block; width: .7rem; height: .7rem; margin-right: .4rem; border: 2px solid var(--soft); border-radius: 50% }
.status.on::before { background: var(--accent); border-color: var(--accent) }
.choices { display: flex; flex-wrap: wrap; gap: .6rem; align-items: start; margin-top: .9rem }
form { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; margin: 0 }
label { font-size: .875rem; color: var(--soft) }
input[type=date] { display: block; font: inherit; color: var(--ink); background: transparent; border: 1px solid var(--soft); border-radius: 8px; padding: .5rem .6rem; min-height: 2.75rem }
button, summary { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .5rem 1.1rem; border-radius: 8px; border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); cursor: pointer }
button.quiet, summary { background: transparent; color: var(--accent) }
button.quiet:hover, summary:hover { background: color-mix(in srgb, var(--accent) 10%, transparent) }
summary { display: inline-flex; align-items: center; list-style: none } summary::-webkit-details-marker { display: none }
details[open] { flex-basis: 100% } details[open] form { margin-top: .75rem }
a { color: var(--accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
.note { border-left: 4px solid var(--accent); padding: .6rem .9rem; background: color-mix(in srgb, var(--accent) 10%, transparent); border-radius: 4px; margin: 1rem 0 }
`)

const digestOf = ({ text }: Html) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
const styleDigest = digestOf(style)

const sourceOf = (address: string): string => {
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname.replaceAll(';', '%3B').replaceAll(',', '%2C')}`
}

/** Own styles, script and logo; requests to this server only with `asks`. */
const policyOf = (
  { script, style: more, asks = false, leadsAway = false, embedsImages = false, provider }: HtmlPage,
  { project }: PageContext,
): string =>
  [
    "default-src 'none'",
    `style-src ${styleDigest}${more ? ` ${digestOf(more)}` : ''}`,
    ...(project?.logoUrl || embedsImages
      ? [`img-src${embedsImages ? ' data:' : ''}${project?.logoUrl ? ` ${sourceOf(project.logoUrl)}` : ''}`]
      : []),
    ...(script ? [`script-src ${digestOf(script)}${provider === undefined ? '' : ` ${provider}`}`] : []),
    ...(provider === undefined ? [] : [`frame-src ${provider}`]),
    ...(asks ? ["connect-src 'self'"] : []),
    // Also applies to redirects after a form post (CSP 3).
    leadsAway ? "form-action 'self' http: https:" : "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export type HtmlPage = {
  readonly title: string
  readonly content: Html
  /** Of the browser tab, if different. */
  readonly tab?: string | undefined
  readonly script?: Html | undefined
  /** The script sends requests to this server. */
  readonly asks?: boolean | undefined
  readonly style?: Html | undefined
  /** The form redirects to another site. */
  readonly leadsAway?: boolean | undefined
  /** The script shows images that it has as text. */
  readonly embedsImages?: boolean | undefined
  /** Origin of another site's script, which shows frames of that site. */
  readonly provider?: string | undefined
}

/** No alternative text: the name stands beside it. */
const brandOf = ({ project }: PageContext): Html | undefined =>
  project &&
  html`<header class="brand">${project.logoUrl && html`<img src="${project.logoUrl}" alt="" referrerpolicy="no-referrer">`}<span>${project.name}</span></header>
`

const textOf = ({ title, content, tab = title, script, style: more }: HtmlPage, reader: PageContext): string =>
  html`<!doctype html>
<html lang="${reader.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${tab}</title>
<style>${style}</style>${
    more &&
    html`
<style>${more}</style>`
  }
</head>
<body>
<div class="page">
${brandOf(reader)}<main class="card">
<h1>${title}</h1>
${content}
</main></div>
${
  script &&
  html`<script>${script}</script>
`
}</body>
</html>
`.text

export const sendPage = (response: Response, page: HtmlPage, reader: PageContext): void => {
  response.type('html').set('Content-Security-Policy', policyOf(page, reader)).send(textOf(page, reader))
}

export const pageTextWithoutScript = (page: HtmlPage, reader: PageContext): string =>
  textOf({ ...page, script: undefined }, reader)

/** For readers of mails, who do not know the API. */
const told: Readonly<Record<RefusalKind | HttpRefusalKind, keyof Messages>> = {
  invalid: 'choiceNotValid',
  forbidden: 'linkNotValid',
  unauthenticated: 'linkNotValid',
  'not-found': 'linkGone',
  blocked: 'notForAddress',
  duplicate: 'notForAddress',
  busy: 'tryLater',
  unavailable: 'tryLater',
  'too-slow': 'tryLater',
  'too-large': 'choiceNotValid',
  'head-too-large': 'choiceNotValid',
  unexpected: 'fault',
}

/** Passes on undecodable paths, which belong to no page. */
export const problemPageHandler =
  (core: Core, log: Log): ErrorRequestHandler =>
  async (error, request, response, next) => {
    if (response.headersSent || error instanceof URIError) return next(error)
    const { kind, id } = httpFailureOf(error, request, log)
    // The lookup may fail for the same reason.
    const reader = await pageContextOf(core, request).catch(() => strangerPageContext(request))
    const say = messagesFor(reader)
    const { token } = request.query
    const again = `?token=${encodeURIComponent(typeof token === 'string' ? token : '')}`
    const back = request.method === 'POST' && kind !== 'forbidden' && html`<p><a href="${again}">${say.back}</a></p>`
    const instead = request.path === '/report' ? say.reportLinkAgain : say.linkDamaged
    const content = html`<p>${say[told[kind]]}</p>${kind === 'forbidden' && html`<p class="soft">${instead}</p>`}${id !== undefined && html`<p class="soft">${id}</p>`}${back}`
    sendPage(response.status(httpErrorsByKind[kind].status), { title: say.problemTitle, content }, reader)
  }
