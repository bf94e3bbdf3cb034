import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { StoreUnavailable } from '@posthorn/core/ports/storage'
import express, { type RequestHandler } from 'express'
import { afterEach, describe, expect, it } from 'vitest'
import { httpFailureOf } from '../src/errors.js'
import { isAnsweredUnavailable, storeOutageResponder } from '../src/store-watch.js'

const log = () => {}
const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

const served = async (isReady: () => Promise<boolean>, handler: RequestHandler) => {
  const watch = storeOutageResponder(isReady, log, 20)
  const watching: RequestHandler = (request, response, next) => {
    watch(request, response)
    next()
  }
  const server = createServer(express().use(watching, handler)).listen(0, '127.0.0.1')
  closing.push(() => server.close())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a request that waits for the store', () => {
  it('gets one 503 with Retry-After if the store does not respond', async () => {
    let ended: (isAnswered: boolean) => void = () => {}
    const end = new Promise<boolean>((resolve) => {
      ended = resolve
    })
    const base = await served(
      async () => false,
      (_request, response) => void response.once('finish', () => ended(isAnsweredUnavailable(response))),
    )
    const answer = await fetch(base)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await answer.json()).toMatchObject({ status: 503, error: { name: 'SERVICE_UNAVAILABLE' } })
    expect(await end).toBe(true)
  })

  it('completes if the store responds', async () => {
    let looks = 0
    let finish = () => {}
    const base = await served(
      async () => {
        looks += 1
        if (looks === 3) finish()
        return true
      },
      (_request, response) => {
        finish = () => response.json('done')
      },
    )
    const answer = await fetch(base)
    expect([answer.status, await answer.json()]).toEqual([200, 'done'])
  })

  it('gets 503 and a message if the store has given up', () => {
    const reason = httpFailureOf(new StoreUnavailable(new Error('away')), { method: 'GET', path: '/' }, log)
    expect(reason).toMatchObject({
      kind: 'unavailable',
      message: 'The database does not respond. Retry in a few seconds.',
    })
  })
})
