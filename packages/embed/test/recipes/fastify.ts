import type { Posthorn } from '@posthorn/embed'
import type { FastifyInstance } from 'fastify'

/** Below a prefix, with its own parsing of bodies: `app.register(inFastify(posthorn), { prefix: '/mail' })`. */
export const inFastify = (posthorn: Posthorn) => async (scope: FastifyInstance) => {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _body, done) => done(null))
  scope.all('/*', (request, reply) => {
    reply.hijack()
    request.raw.url = (request.raw.url ?? '/').slice(scope.prefix.length) || '/'
    posthorn.app(request.raw, reply.raw)
  })
}
