import type { Core, KeyScope } from '@posthorn/core'
import { blocked, forbidden, invalid } from '@posthorn/core/ports/runtime'
import { keyScopes } from '@posthorn/core/ports/transport'
import type { Express, Request, Response } from 'express'
import type { Admission } from './admission/admission.js'
import { bearerOf } from './admission/owner.js'
import { inProcessRequests, type PerformRequest } from './in-process.js'
import { type RequestBodyLimits, readJsonBody } from './request.js'

/** `message` is not checked yet. */
export type McpExchange = {
  readonly request: Request
  readonly response: Response
  readonly message: unknown
  readonly projectId: string
  readonly scope: KeyScope
  /** The OpenAPI document. */
  readonly description: object
  /** With the key of the request. */
  readonly perform: PerformRequest
}

/** `mcpOverHttp` of `@posthorn/mcp`. */
export type McpHandler = (message: McpExchange) => Promise<void>

/** Checks the key before it reads the body. Refuses browsers' pages: DNS rebinding would let any page call. */
export const mountMcpRoute = (
  app: Express,
  handler: McpHandler,
  {
    core,
    admission,
    bodyLimits,
    description,
  }: { core: Core; admission: Admission; bodyLimits: RequestBodyLimits; description: () => object },
): void => {
  const performFor = inProcessRequests(app)
  app.all('/mcp', async (request, response) => {
    if (request.method !== 'POST') {
      response.set('Allow', 'POST')
      throw blocked(
        `This path does not support ${request.method}. It supports POST: every message is a request of its own.`,
      )
    }
    if (request.headers.origin !== undefined)
      throw forbidden('Pages of browsers may not use /mcp. Connect a program, without the header Origin.')
    const scope = await core.access.byKey(bearerOf(request), { keys: keyScopes })
    admission.rate.proven(request)
    const owner = await admission.ownerOf(scope, request)
    const limit = bodyLimits.json
    const message = await admission.bodies.read({ request, response, owner, limit }, () =>
      readJsonBody(request, response, limit),
    )
    if (Array.isArray(message)) throw invalid('Send one message per request: batches are not supported.')
    const over = new AbortController()
    response.once('close', () => over.abort())
    const hold = admission.answers.take(response, owner)
    await handler({
      request,
      response,
      message,
      description: description(),
      projectId: scope.projectId,
      scope: scope.apiKey?.scope as KeyScope,
      perform: performFor(request, over.signal),
    })
    // What the client has not read yet.
    if (response.writableLength > 0) hold(response.writableLength)
  })
}
