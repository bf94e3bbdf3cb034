import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Express } from 'express'
import { type GuardOptions, guardServer, serverOptions } from './admission/guard-server.js'

type Class = { readonly prototype: object }

/** Classes of a server's requests and responses, as options of Node's `createServer`. Servers must not share them. */
export type MessageClasses = {
  readonly IncomingMessage: Class
  readonly ServerResponse: Class
}

const inheriting = <T extends object>({ prototype }: Class, wanted: T): T => Object.setPrototypeOf(prototype, wanted)

/**
 * Makes the messages of a server inherit from the application's prototypes. Otherwise Express sets another prototype on each message, which
 * creates a new shape each time, and V8 keeps each shape with its message until the next full collection. That costs more than half of the
 * processor time of a short request.
 */
export const makeMessagesFor = (app: Express, classes: MessageClasses): void => {
  app.request = inheriting(classes.IncomingMessage, app.request)
  app.response = inheriting(classes.ServerResponse, app.response)
}

/** Express's `listen`, with its error callback, for a server with the application's messages and limited connections. */
export const listenWith = (app: Express, guard: GuardOptions = {}): Express['listen'] => {
  const listen = (...given: readonly unknown[]): Server => {
    const classes = {
      IncomingMessage: class extends IncomingMessage {},
      ServerResponse: class extends ServerResponse {},
    }
    makeMessagesFor(app, classes)
    const server = guardServer(createServer({ ...serverOptions, ...classes }, app), guard)
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
