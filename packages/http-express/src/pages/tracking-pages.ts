import type { Core, Log } from '@posthorn/core'
import { html } from '@posthorn/core/ports/transport'
import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import { messagesFor, sendPage, strangerPageContext } from './page.js'

const gif = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const tell = (request: Request, response: Response, what: 'linkGone' | 'tryLater'): void => {
  const reader = strangerPageContext(request)
  const say = messagesFor(reader)
  sendPage(response, { title: say.problemTitle, content: html`<p>${say[what]}</p>` }, reader)
}

const unknown = (request: Request, response: Response): void => tell(request, response.status(404), 'linkGone')

const otherMethods: RequestHandler = (_request, response) => {
  response.status(405).set('Allow', 'GET, HEAD').end()
}

/** ADR 0041. Serves any host; keeps the hit before it responds, so that a killed process loses none. */
export const trackingPages = ({ tracking }: Pick<Core, 'tracking'>, log: Log): Router => {
  const router = express.Router({ caseSensitive: true })

  router
    .route('/o/:token')
    .get((request, response) => {
      const mail = tracking.findMail(request.params.token)
      if (!mail) return unknown(request, response)
      tracking.addHit({ mail }, askedBy(request))
      response.set({ 'Content-Type': 'image/gif', 'Cross-Origin-Resource-Policy': 'cross-origin' }).send(gif)
    })
    .all(otherMethods)

  const follow: RequestHandler<{ token: string; ref: string; signed?: string }> = async (request, response) => {
    let followed: Awaited<ReturnType<typeof tracking.findLink>>
    try {
      followed = await tracking.findLink(request.params)
    } catch (error) {
      log('error', 'The target of a link could not be read', { error: String(error) })
      return tell(request as Request, response.status(503).set('Retry-After', '5'), 'tryLater')
    }
    if (!followed) return unknown(request as Request, response)
    tracking.addHit(followed, askedBy(request as Request))
    response.set('X-Robots-Tag', 'noindex, nofollow')
    if (followed.target === undefined) response.status(204).end()
    else response.status(302).set('Location', new URL(followed.target).href).end()
  }
  router.route('/c/:token/:ref').get(follow).all(otherMethods)
  router.route('/c/:token/:ref/:signed').get(follow).all(otherMethods)
  return router
}

const askedBy = ({ method, headers, ip }: Request) => ({ method, headers, ipAddress: ip })
