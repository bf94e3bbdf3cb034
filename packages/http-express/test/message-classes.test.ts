import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express, type Request, type Response } from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { applyHttpMessageClasses, guardedListenOf } from '../src/http-server.js'

const started = async () => {
  class OwnRequest extends IncomingMessage {}
  class OwnResponse extends ServerResponse {}
  const classes = { IncomingMessage: OwnRequest, ServerResponse: OwnResponse }
  const app = express()
  const came: [Request, Response][] = []
  app.get('/:name', (request, response) => {
    came.push([request, response])
    response.status(201).json({ hello: request.params.name, query: request.query, app: request.app === app })
  })
  applyHttpMessageClasses(app, classes)
  const server = createServer(classes, app).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  onTestFinished(() => {
    server.close()
  })
  return { came, classes, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('requests and responses keep the prototypes that they were created with', async () => {
  const { came, classes, base } = await started()
  await fetch(`${base}/ada`)
  const [[request, response] = []] = came
  expect(Object.getPrototypeOf(request)).toBe(classes.IncomingMessage.prototype)
  expect(Object.getPrototypeOf(response)).toBe(classes.ServerResponse.prototype)
})

test('they work like Express’s own', async () => {
  const { base } = await started()
  const answer = await fetch(`${base}/ada?a=1`)
  expect(answer.status).toBe(201)
  expect(await answer.json()).toEqual({ hello: 'ada', query: { a: '1' }, app: true })
})

test('an application listens with these classes, and reports success or failure', async () => {
  const app = express()
  app.listen = guardedListenOf(app)
  const own: boolean[] = []
  app.use((request, response) => {
    own.push(Object.getPrototypeOf(request) === app.request && request.constructor !== IncomingMessage)
    response.json(response.app === app)
  })
  const told: unknown[] = []
  const server = await new Promise<ReturnType<Express['listen']>>((resolve) => {
    const listening = app.listen(0, '127.0.0.1', (error) => {
      told.push(error)
      resolve(listening)
    })
  })
  const { port } = server.address() as AddressInfo
  expect(await (await fetch(`http://127.0.0.1:${port}`)).json()).toBe(true)
  expect(own).toEqual([true])
  await new Promise<void>((resolve) => {
    app.listen(port, '127.0.0.1', (error) => {
      told.push(error)
      resolve()
    })
  })
  server.close()
  expect(told).toEqual([undefined, expect.objectContaining({ code: 'EADDRINUSE' })])
})
