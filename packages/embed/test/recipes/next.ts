import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Posthorn } from '@posthorn/embed'

/** For `pages/api/mail/[[...path]].ts`: the public URL ends in `/api/mail`. Posthorn reads bodies and ends responses itself. */
export const config = { api: { bodyParser: false, externalResolver: true } }

export const handlerOf = (opened: Promise<Posthorn>) => async (request: IncomingMessage, response: ServerResponse) => {
  const { app } = await opened
  request.url = (request.url ?? '').replace(/^\/api\/mail/, '') || '/'
  app(request, response)
}
