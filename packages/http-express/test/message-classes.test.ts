import { createServer, IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Request, type Response } from 'express'
import { expect, onTestFinished, test } from 'vitest'
import { makeMessagesFor } from '../src/message-classes.js'

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
  makeMessagesFor(app, classes)
  const server = createServer(classes, app).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  onTestFinished(() => {
    server.close()
  })
  return { came, classes, base: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('a request and its response keep the prototype that they were made with', async () => {
  const { came, classes, base } = await started()
  await fetch(`${base}/ada`)
  const [[request, response] = []] = came
  expect(Object.getPrototypeOf(request)).toBe(classes.IncomingMessage.prototype)
  expect(Object.getPrototypeOf(response)).toBe(classes.ServerResponse.prototype)
})

test('they are what Express makes of them otherwise', async () => {
  const { base } = await started()
  const answer = await fetch(`${base}/ada?a=1`)
  expect(answer.status).toBe(201)
  expect(await answer.json()).toEqual({ hello: 'ada', query: { a: '1' }, app: true })
})
