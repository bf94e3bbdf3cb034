import { type Html, html } from '@posthorn/core/ports/transport'
import type { Request, RequestHandler } from 'express'
import { version } from '../version.js'
import { type PageContext, sendPage } from './page.js'

type FrontPage = {
  readonly mount: string
  readonly isReadyNow: () => Promise<boolean>
  /** Such as the outbox. */
  readonly operatorPaths: readonly string[]
  readonly maySee: (request: Request) => boolean
}

/** Readers are operators and developers. */
const english: PageContext = { language: 'en' }

const operatorPages: Readonly<Record<string, readonly [title: string, description: string]>> = {
  '/outbox': ['Outbox', 'Mail that this server stores instead of sending it'],
  '/metrics': ['Metrics', 'Metrics of this process, for Prometheus'],
}

const link = (path: string, title: string, description: string): Html =>
  html`<li><h2><a href="${path}">${title}</a></h2><p class="soft">${description}</p></li>`

const contentOf = (isReady: boolean, paths: readonly string[], mount: string): Html => html`
<p>E-mail delivery and audience management: campaigns, triggered and transactional mail, contacts, lists and signup forms, through a REST API.</p>
<p class="head"><span class="status ${isReady && 'on'}">${isReady ? 'Ready' : 'Not ready: the store or the mailer cannot be reached, or /readyz gives another reason'}</span> <span class="soft"><small>Version ${version}</small></span></p>
<ul>
${link(`${mount}/console`, 'Console', 'Write campaigns, look after contacts, and see what happened to every mail')}
${link(`${mount}/docs`, 'API reference', 'Every endpoint, with working examples that you can run here')}
${link(`${mount}/v1/openapi.json`, 'OpenAPI document', 'The machine-readable description, to generate clients from')}
${paths.map((path) => link(`${mount}${path}`, ...(operatorPages[path] ?? ([path, 'For the operator'] as const))))}
</ul>`

/** Programs get JSON. Operator paths only for callers who may see them. */
export const frontPage =
  ({ mount, isReadyNow, operatorPaths, maySee }: FrontPage): RequestHandler =>
  async (request, response) => {
    const isReady = await isReadyNow()
    const paths = maySee(request) ? operatorPaths : []
    response.vary('Accept')
    if (request.accepts(['json', 'html']) === 'html')
      return sendPage(response, { title: 'Posthorn', content: contentOf(isReady, paths, mount) }, english)
    const links = { console: `${mount}/console`, reference: `${mount}/docs`, description: `${mount}/v1/openapi.json` }
    const others = Object.fromEntries(paths.map((path) => [path.slice(1), `${mount}${path}`]))
    response.json({
      status: 200,
      result: { name: 'Posthorn', version, ready: isReady, links: { ...links, ...others } },
    })
  }
