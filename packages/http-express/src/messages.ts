import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import express, { type Express } from 'express'

export type Messages = {
  readonly classes: { readonly IncomingMessage: typeof IncomingMessage; readonly ServerResponse: typeof ServerResponse }
  /** Says whose they are, from now on. */
  readonly belongTo: (app: Express) => void
}

/**
 * The classes of a server's messages, for `createServer`, and what lets an application answer them. Express gives each request and each
 * response the prototype of its application; an object that gets another prototype is one of its own kind to V8: code that has
 * to do with it is slower, and it becomes garbage of the old generation. These have theirs from the start, so Express has nothing to change.
 */
export const messages = (): Messages => {
  class Request extends IncomingMessage {}
  class Response<R extends IncomingMessage = IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(Request.prototype, express.request)
  Object.setPrototypeOf(Response.prototype, express.response)

  return {
    classes: { IncomingMessage: Request, ServerResponse: Response },
    belongTo: (app) => {
      for (const prototype of [Request.prototype, Response.prototype])
        Object.defineProperty(prototype, 'app', { value: app, configurable: true, enumerable: true, writable: true })
      Object.assign(app, { request: Request.prototype, response: Response.prototype })
    },
  }
}

/** Express' own `listen`, which tells who gives it a function of an error as well, with such messages. */
export const listenWith = (app: Express): Express['listen'] => {
  const own = messages()
  own.belongTo(app)
  const listen = (...given: readonly unknown[]): Server => {
    const server = createServer(own.classes, app)
    const tell = given.at(-1)
    if (typeof tell !== 'function') return server.listen(...(given as []))
    let isTold = false
    const once = (error?: Error): void => {
      if (!isTold) tell(error)
      isTold = true
    }
    return server.once('error', once).listen(...(given.slice(0, -1) as []), () => once())
  }
  return listen as Express['listen']
}
