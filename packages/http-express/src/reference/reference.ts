import { fileURLToPath } from 'node:url'
import { type Html, html } from '@posthorn/core/ports/transport'
import express, { type Router } from 'express'
import { z } from 'zod'
import { apiReferencePolicy } from '../browser-headers.js'
import { httpErrorsByKind } from '../errors.js'
import { exampleIds } from '../examples/index.js'
import { mountOf, type Route } from '../route.js'
import { routesByResource } from '../routes/index.js'
import { version } from '../version.js'
import { codeLanguages } from './code.js'
import { type OpenApiOperation, operationSection, type Schemas } from './operation.js'
import { prose, schemaReferenceSection } from './schema.js'

export type OpenApiDescription = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: { readonly schemas: Schemas }
}

const anchorOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')

const rowsOf = (rows: readonly { readonly id: string }[], byId: ReadonlyMap<string, Route>): readonly Route[] =>
  rows.flatMap(({ id }) => byId.get(id) ?? [])

const navigation = (byId: ReadonlyMap<string, Route>): Html =>
  html`<nav id="menu" aria-label="Endpoints">
<p class="search"><label for="search">Search</label> <kbd>/</kbd><input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="campaign, /contacts, unsubscribe"></p>
<p id="found" class="soft" role="status"></p>
<ul><li><a href="#start">Start</a></li><li><a href="#errors">Errors</a></li></ul>
${routesByResource.map(
  ({ name, rows }) =>
    html`<section><h2><a href="#${anchorOf(name)}">${name}</a></h2><ul>${rowsOf(rows, byId).map(
      ({ id, method, summary, path }) =>
        html`<li data-words="${`${summary} ${path} ${id} ${name}`.toLowerCase()}"><a href="#${id}"><span class="method ${method}">${method === 'delete' ? 'DEL' : method.toUpperCase()}</span> <span>${summary}</span></a></li>`,
    )}</ul></section>
`,
)}<ul><li><a href="#schemas">Schemas</a></li></ul>
</nav>`

const start = (mount: string): Html => html`<section id="start" class="start"><h1>Posthorn API</h1>
<p>E-mail delivery and audience management. Version ${version}; the same as a document: <a href="${mount}/v1/openapi.json">OpenAPI 3.1</a>.</p>
<p>Every success is <code>{ "status", "result" }</code>, every failure <code>{ "status", "error": { "name", "message" } }</code> with a message for people. Almost everything belongs to a project: send one of its API keys as <code>Authorization: Bearer</code>. Lists have pages: request <code>next</code> until it is null.</p>
<form id="credentials" class="credentials" autocomplete="off"><h2>Try it here</h2>
<p>Enter these to call the endpoints from this page and to see your project in the examples. They stay in this tab.</p>
<p class="inputs"><label>Project <input name="project" spellcheck="false" placeholder="${exampleIds.project}"></label>
<label>API key <input name="key" type="password" autocomplete="off" spellcheck="false" placeholder="ph_…"></label></p>
<p class="soft">Ids of records that you create or list are filled into the examples.</p></form>
</section>`

const errorSection = html`<section id="errors"><h2>Errors</h2>
<table><thead><tr><th scope="col">Status</th><th scope="col">Name</th><th scope="col">Meaning</th></tr></thead><tbody>
${Object.values(httpErrorsByKind).map(
  ({ status, name, meaning }) =>
    html`<tr><td><code>${status}</code></td><td><code>${name}</code></td><td>${prose(meaning)}</td></tr>
`,
)}</tbody></table></section>`

const top = (mount: string): Html => html`<header class="top"><a class="brand" href="${mount}/">Posthorn</a>
<button id="open-menu" type="button" aria-expanded="false" aria-controls="menu">Menu</button>
<span class="tools"><span role="group" aria-label="Language of the examples">${Object.entries(codeLanguages).map(
  ([language, called]) =>
    html`<button type="button" data-choose="${language}" aria-pressed="${language === 'curl' ? 'true' : 'false'}">${called}</button>`,
)}</span>
<button id="scheme" type="button">Dark</button></span></header>`

const referencePage = (routes: readonly Route[], { paths, components }: OpenApiDescription, base: string): string => {
  const byId = new Map(routes.map((row) => [row.id, row]))
  const mount = mountOf(base)
  const section = (row: Route) => {
    const operation = paths[row.path]?.[row.method]
    return operation ? operationSection(row, operation, components.schemas, base) : html``
  }
  return html`<!doctype html>
<html lang="en" data-mount="${mount}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Posthorn API</title>
<script src="${mount}/docs/scheme.js"></script>
<link rel="stylesheet" href="${mount}/docs/reference.css">
<script src="${mount}/docs/reference.js" type="module"></script>
</head>
<body data-show="curl">
<a class="skip" href="#start">To the content</a>
${top(mount)}
<div class="columns">
${navigation(byId)}
<main>
${start(mount)}
${errorSection}
${routesByResource.map(
  ({ name, description, rows }) =>
    html`<section id="${anchorOf(name)}" class="resource"><h2>${name}</h2><p>${description}</p>
${rowsOf(rows, byId).map(section)}</section>
`,
)}<section id="schemas"><h2>Schemas</h2><p>The schemas of responses and bodies.</p>
${Object.entries(components.schemas).map(([name, schema]) => schemaReferenceSection(name, schema))}
</section>
</main>
</div>
</body>
</html>
`.text
}

const assets = fileURLToPath(new URL('../../assets', import.meta.url))

/** Generated here, so a shallow check suffices. */
const Described = z.custom<OpenApiDescription>(
  (value) => typeof value === 'object' && value !== null && 'paths' in value,
)

/** Rendered at the first request; loads nothing from elsewhere. */
export const referencePages = (routes: readonly Route[], description: () => object, publicUrl: string): Router => {
  let page: Buffer | undefined
  const router = express.Router()
  router.use((_request, response, next) => {
    response.set({ 'Content-Security-Policy': apiReferencePolicy, 'Cache-Control': 'no-cache' })
    next()
  })
  router.get('/', (_request, response) => {
    page ??= Buffer.from(referencePage(routes, Described.parse(description()), publicUrl))
    response.type('html').send(page)
  })
  router.use(express.static(assets, { index: false, redirect: false }))
  return router
}
