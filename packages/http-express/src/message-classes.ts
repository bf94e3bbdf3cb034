import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import type { Express } from 'express'
import { type GuardOptions, guardServer, serverOptions } from './admission/guard-server.js'

type Class = { readonly prototype: object }

/** What a server makes its requests and responses by, as options of Node's `createServer`: classes that are this server's alone. */
export type MessageClasses = {
  readonly IncomingMessage: Class
  readonly ServerResponse: Class
}

const inheriting = <T extends object>({ prototype }: Class, wanted: T): T => Object.setPrototypeOf(prototype, wanted)

/**
 * Has a server whose messages are made by these classes make them as the application wants them. Otherwise Express gives each of them
 * another prototype when it comes, and with it a shape of its own: V8 keeps shapes until the next full collection, and with each of them
 * the message that it was made for. That is more than half of the processor time of a short request.
 */
export const makeMessagesFor = (app: Express, classes: MessageClasses): void => {
  app.request = inheriting(classes.IncomingMessage, app.request)
  app.response = inheriting(classes.ServerResponse, app.response)
}

/** Express' own `listen`, which reports an error, too, with messages that are made as the application wants them, and limited connections. */
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
