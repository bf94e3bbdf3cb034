import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express, { type Express } from 'express'
import { expect, it } from 'vitest'
import { listenWith, messages } from '../src/messages.js'

/** An application that tells whether Express had to give a request and a response other prototypes. */
const telling = (): Express => {
  const app = express()
  app.set('trust proxy', 1)
  app.get('/it', (request, response) => {
    const isTheirs = Object.getPrototypeOf(request) === app.request && Object.getPrototypeOf(response) === app.response
    response.json({ isTheirs, ip: request.ip, isJson: request.is('json') === 'json', app: response.app === app })
  })
  return app
}

const ask = async (server: ReturnType<Express['listen']>) => {
  if (!server.listening) await once(server, 'listening')
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/it`, {
    method: 'GET',
    headers: { 'x-forwarded-for': '192.0.2.7' },
  })
  server.close()
  return response.json()
}

const theirs = { isTheirs: true, ip: '192.0.2.7', isJson: false, app: true }

it('messages are born with the prototypes of the application they belong to, also where it comes later than the server', async () => {
  const { classes, belongTo } = messages()
  const app = telling()
  const born: object[] = []
  const server = createServer(classes, (request, response) => {
    born.push(Object.getPrototypeOf(request), Object.getPrototypeOf(response))
    app(request, response)
  }).listen(0, '127.0.0.1')
  belongTo(app)
  expect(await ask(server)).toEqual(theirs)
  expect(born).toEqual([app.request, app.response])
  expect(born[0]).toBe(app.request)
})

it('an application listens with such messages, and says so or why not', async () => {
  const app = telling()
  app.listen = listenWith(app)
  const told: unknown[] = []
  const server = app.listen(0, '127.0.0.1', (error) => told.push(error))
  expect(await ask(server)).toEqual(theirs)
  const taken = app.listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const failing = app.listen((taken.address() as AddressInfo).port, '127.0.0.1', (error) => told.push(error))
  await new Promise((resolve) => failing.once('error', resolve))
  taken.close()
  expect(told).toEqual([undefined, expect.objectContaining({ code: 'EADDRINUSE' })])
})

it('an application that is mounted in another answers as before', async () => {
  const inner = telling()
  inner.listen = listenWith(inner)
  const outer = express().use(inner)
  expect(await ask(outer.listen(0, '127.0.0.1'))).toEqual(theirs)
})
