import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import express, { type RequestHandler } from 'express'
import { expect, it, onTestFinished } from 'vitest'
import { whenResponseEnds } from '../src/response.js'

const served = async (handler: RequestHandler) => {
  const server = createServer(express().use(handler)).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

it('a response counts as ended once, when it has been sent', async () => {
  let told = 0
  const socket = await served((_request, response) => {
    whenResponseEnds(response, () => {
      told += 1
    })
    response.json('done')
  })
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect.poll(() => told).toBe(1)
  socket.destroy()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(told).toBe(1)
})

it('all begun responses of pipelined requests count as ended when the connection ends', async () => {
  let [come, told] = [0, 0]
  const socket = await served((_request, response) => {
    come += 1
    whenResponseEnds(response, () => {
      told += 1
    })
    if (come > 1) response.json('done')
  })
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(5))
  await expect.poll(() => come).toBe(5)
  expect(told).toBe(0)
  socket.destroy()
  await expect.poll(() => told).toBe(5)
})

it('a response counts as ended at once if the connection has already ended', async () => {
  let [come, told] = [0, 0]
  const socket = await served((request, response) => {
    come += 1
    request.socket.once('close', () =>
      whenResponseEnds(response, () => {
        told += 1
      }),
    )
  })
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  await expect.poll(() => come).toBe(1)
  socket.destroy()
  await expect.poll(() => told).toBe(1)
})
