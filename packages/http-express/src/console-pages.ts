import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { html } from '@posthorn/core/ports/transport'
import express, { type RequestHandler, type Router } from 'express'
import { z } from 'zod'
import { browserLanguage } from './pages/page.js'
import { mountOf } from './route.js'
import { version } from './version.js'

/** Written by packages/console/build.js; the same path from `src` and from `dist`. */
const built = fileURLToPath(new URL('../dist/console-files', import.meta.url))

/** Of Vite's manifest (https://vite.dev/guide/backend-integration). `imports`: names of the chunks that this one needs at once. */
const Chunk = z.object({
  file: z.string(),
  isEntry: z.boolean().optional(),
  css: z.array(z.string()).default([]),
  imports: z.array(z.string()).default([]),
})
const Manifest = z.record(z.string(), Chunk)

type Chunk = z.output<typeof Chunk>

type Entry = { readonly script: string; readonly preloaded: readonly string[]; readonly styles: readonly string[] }

const entryIn = (directory: string): Entry | undefined => {
  let text: string
  try {
    text = readFileSync(join(directory, 'manifest.json'), 'utf8')
  } catch {
    return undefined
  }
  const chunks = Manifest.parse(JSON.parse(text))
  const seen = new Set<Chunk>()
  /** The chunk behind all that it imports; imports may be circular. */
  const withImports = (chunk: Chunk): readonly Chunk[] => {
    if (seen.has(chunk)) return []
    seen.add(chunk)
    return [...chunk.imports.flatMap((name) => (chunks[name] ? withImports(chunks[name]) : [])), chunk]
  }
  const entry = Object.values(chunks).find(({ isEntry }) => isEntry === true)
  if (!entry) return undefined
  const needed = withImports(entry)
  return {
    script: entry.file,
    preloaded: needed.slice(0, -1).map(({ file }) => file),
    styles: needed.flatMap(({ css }) => css),
  }
}

const newNonce = () => randomBytes(16).toString('base64url')

/** The nonce is for style elements that React Aria and CodeMirror add. */
const consolePolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')

/** A mail may use its own styles and images, and run nothing. The sandbox gives it an origin of its own. */
const previewPolicy = (nonce: string): string =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    'img-src http: https: data:',
    'font-src http: https: data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ')

/**
 * Shows the mail that the console posts. Links do nothing: the inner frame may open no window. The policy also holds there, so its only script is the
 * one below, which stands before the mail: nothing of the mail can reach into it. It reports only the number of an element.
 */
const previewScript = `
const frame = document.querySelector('iframe')
const nonce = document.currentScript.nonce
const selecting = document.querySelector('template').content.textContent
addEventListener('message', ({ source, data }) => {
  if (source === frame.contentWindow && Number.isInteger(data)) return parent.postMessage({ element: data }, '*')
  if (source !== parent) return
  if (Number.isInteger(data?.selected)) return frame.contentWindow.postMessage(data.selected, '*')
  if (typeof data?.html !== 'string') return
  frame.title = String(data.title)
  document.documentElement.classList.toggle('dark', data.isDark === true)
  const scheme = data.isDark === true ? '<style>:root{color-scheme:dark}</style>' : ''
  const isSelectable = data.isSelectable === true
  frame.setAttribute('sandbox', isSelectable ? 'allow-scripts' : '')
  const script = isSelectable ? '<!doctype html><script nonce="' + nonce + '">' + selecting + '</' + 'script>' : ''
  frame.srcdoc = script + data.html + scheme + '<base target="_blank">'
})
parent.postMessage('preview-ready', '*')
`

/** For the inner frame; the console adds the classes. */
const selectingScript = `
const prefix = 'posthorn-element-'
let selected = -1
const numberOf = element => {
  const name = [...(element?.classList ?? [])].find(one => one.startsWith(prefix))
  return name === undefined ? -1 : Number(name.slice(prefix.length))
}
const show = isScrolling => {
  for (const one of document.querySelectorAll('[data-posthorn-selected]')) {
    one.style.outline = ''
    one.removeAttribute('data-posthorn-selected')
  }
  for (const one of document.getElementsByClassName(prefix + selected)) {
    one.style.outline = '2px solid #0f5d8c'
    one.style.outlineOffset = '-2px'
    one.setAttribute('data-posthorn-selected', '')
  }
  if (isScrolling) document.getElementsByClassName(prefix + selected)[0]?.scrollIntoView({ block: 'nearest' })
}
addEventListener('message', ({ source, data }) => {
  if (source !== parent || !Number.isInteger(data)) return
  selected = data
  show(true)
})
addEventListener('DOMContentLoaded', () => parent.postMessage(-1, '*'))
addEventListener('click', event => {
  event.preventDefault()
  const number = numberOf(event.target.closest?.('[class*=' + prefix + ']'))
  if (number >= 0) parent.postMessage(number, '*')
}, true)
`

const previewStyle =
  'html, body { margin: 0; height: 100%; background: #fff } .dark, .dark body { color-scheme: dark; background: #1c1c1e } iframe { display: block; width: 100%; height: 100%; border: 0 }'

/** Its policy is looser than the console's, its origin is opaque. */
const previewFrame: RequestHandler = (request, response) => {
  const nonce = newNonce()
  response.removeHeader('X-Frame-Options')
  response
    .set('Content-Security-Policy', previewPolicy(nonce))
    .type('html')
    .send(
      `<!doctype html>
<html lang="${browserLanguage(request)}">
<head><meta charset="utf-8"><title>Posthorn</title><style>${previewStyle}</style></head>
<body><iframe sandbox="" title="" referrerpolicy="no-referrer"></iframe><template>${selectingScript}</template><script nonce="${nonce}">${previewScript}</script></body>
</html>
`,
    )
}

/** The build compressed these, so that a request costs no processor time. */
const compressedFile: RequestHandler = (request, response, next) => {
  if (/\.(css|js)$/.test(request.path)) {
    response.vary('Accept-Encoding')
    if (request.acceptsEncodings('gzip') === 'gzip') request.url = `${request.path}.gz`
  }
  next()
}

const fileHeaders = (response: ServerResponse, path: string): void => {
  response.setHeader('Cache-Control', 'public, max-age=31536000, immutable')
  const [, type] = /\.(css|js)\.gz$/.exec(path) ?? []
  if (type === undefined) return
  response.setHeader('Content-Encoding', 'gzip')
  response.setHeader('Content-Type', `text/${type === 'css' ? 'css' : 'javascript'}; charset=utf-8`)
}

/** One page for all addresses below `/console`, at any mount path. Names of assets contain a hash of their content. */
export const consolePages = (publicUrl: string, directory = built): Router => {
  const mount = mountOf(publicUrl)
  let entry: Entry | undefined
  const router = express.Router()
  router.use(
    '/assets',
    compressedFile,
    express.static(join(directory, 'assets'), { index: false, redirect: false, setHeaders: fileHeaders }),
  )
  router.get('/icon.svg', (_request, response) =>
    response.sendFile('icon.svg', {
      root: directory,
      cacheControl: false,
      headers: { 'Cache-Control': 'public, max-age=3600' },
    }),
  )
  router.get('/preview-frame', previewFrame)
  router.get(/^\/(?!(?:api|assets)(?:\/|$))/, (request, response) => {
    entry ??= entryIn(directory)
    if (!entry) {
      response.status(503).type('text').send('The console is not built. Run: npm run build\n')
      return
    }
    const nonce = newNonce()
    const at = (file: string) => `${mount}/console/${file}`
    response.set('Content-Security-Policy', consolePolicy(nonce))
    response.type('html').send(
      html`<!doctype html>
<html lang="${browserLanguage(request)}" data-mount="${mount}" data-version="${version}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta property="csp-nonce" nonce="${nonce}">
<title>Posthorn</title>
<link rel="icon" href="${at('icon.svg')}" type="image/svg+xml">
${entry.styles.map((file) => html`<link rel="stylesheet" href="${at(file)}">`)}
${entry.preloaded.map((file) => html`<link rel="modulepreload" href="${at(file)}">`)}
<script type="module" src="${at(entry.script)}"></script>
</head>
<body><div id="root"></div></body>
</html>
`.text,
    )
  })
  return router
}
