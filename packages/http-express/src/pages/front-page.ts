import { type Html, html } from '@posthorn/core/ports/transport'
import type { Request, RequestHandler } from 'express'
import { version } from '../version.js'
import type { Reader } from './page.js'
import { sendPage } from './page.js'

type FrontPage = {
  /** Path prefix of the server. */
  readonly mount: string
  readonly isReadyNow: () => Promise<boolean>
  /** Paths for the operator only, such as the outbox. */
  readonly operatorPaths: readonly string[]
  /** Whether the caller may see these paths. */
  readonly maySee: (request: Request) => boolean
}

/** Always English, as the reference: its readers are operators and developers. */
const english: Reader = { language: 'en' }

/** Titles and descriptions of operator paths. */
const operatorPages: Readonly<Record<string, readonly [title: string, description: string]>> = {
  '/outbox': ['Outbox', 'The mail that this server keeps instead of sending it'],
  '/metrics': ['Metrics', 'Figures of this process, for Prometheus'],
}

const link = (path: string, title: string, description: string): Html =>
  html`<li><h2><a href="${path}">${title}</a></h2><p class="soft">${description}</p></li>`

const contentOf = (isReady: boolean, paths: readonly string[], mount: string): Html => html`
<p>E-mail delivery and audience management: campaigns, triggered and transactional mail, contacts, lists and signup forms, through a REST API.</p>
<p class="head"><span class="status ${isReady && 'on'}">${isReady ? 'Ready' : 'Not ready: /readyz says why, or the store or the mailer cannot be reached'}</span> <span class="soft"><small>Version ${version}</small></span></p>
<ul>
${link(`${mount}/docs`, 'API reference', 'Every endpoint, with examples that work and a form to try them')}
${link(`${mount}/v1/openapi.json`, 'OpenAPI document', 'The same for programs: clients and tools are made from it')}
${paths.map((path) => link(`${mount}${path}`, ...(operatorPages[path] ?? ([path, 'For the operator'] as const))))}
</ul>`

/**
 * The page at `/`: what this server is, whether it is ready, and where to go; programs get the same as JSON. It lists operator paths only
 * to callers who may see them.
 */
export const frontPage =
  ({ mount, isReadyNow, operatorPaths, maySee }: FrontPage): RequestHandler =>
  async (request, response) => {
    const isReady = await isReadyNow()
    const paths = maySee(request) ? operatorPaths : []
    response.vary('Accept')
    if (request.accepts(['json', 'html']) === 'html')
      return sendPage(response, { title: 'Posthorn', content: contentOf(isReady, paths, mount) }, english)
    const links = { reference: `${mount}/docs`, description: `${mount}/v1/openapi.json` }
    const others = Object.fromEntries(paths.map((path) => [path.slice(1), `${mount}${path}`]))
    response.json({
      status: 200,
      result: { name: 'Posthorn', version, ready: isReady, links: { ...links, ...others } },
    })
  }
