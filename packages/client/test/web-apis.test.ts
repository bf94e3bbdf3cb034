import { createContext, runInContext } from 'node:vm'
import { Webhook } from 'standardwebhooks'
import { expect, it } from 'vitest'
import type * as Client from '../src/index.js'
import { bundled } from './bundle.js'
import { aServer } from './world.js'

/** All that a worker offers and the client needs: no `process`, `Buffer`, `require` or `window`. */
const workerGlobals = () => ({
  AbortController,
  AbortSignal,
  Blob,
  clearTimeout,
  crypto,
  fetch,
  FormData,
  Headers,
  Response,
  setTimeout,
  TextDecoder,
  TextEncoder,
  URL,
  URLSearchParams,
  atob,
})

/** The bundled client in a realm that has only the globals of a worker. */
const clientInWorker = async (): Promise<typeof Client> =>
  runInContext(
    `${await bundled(`export * from '@posthorn/client'`, 'iife')}; client`,
    createContext(workerGlobals()),
  ) as typeof Client

it('calls, walks, uploads, downloads and verifies with the globals of a worker alone', async () => {
  const { Posthorn, NotFoundError, verifyWebhook } = await clientInWorker()
  const world = await aServer()
  try {
    const posthorn = new Posthorn(world.options)
    await posthorn.contacts.create({ email: 'ada@example.com' })
    const emails: string[] = []
    for await (const { email } of posthorn.contacts.list()) emails.push(email)
    expect(emails).toEqual(['ada@example.com'])
    await expect(posthorn.contacts.get('grace@example.com')).rejects.toBeInstanceOf(NotFoundError)
    const gif = Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'), (character) =>
      character.charCodeAt(0),
    )
    const image = await posthorn.galleryImages.upload({ image: { name: 'dot.gif', content: gif } })
    expect(image.name).toBe('dot.gif')
    const form = await posthorn.signupForms.create({ name: 'Form' })
    expect(await (await posthorn.signupForms.embed(form._id)).text()).toContain('<form')
  } finally {
    await world.close()
  }
  const body = '{"type":"open"}'
  const secret = `whsec_${btoa('a secret of 32 bytes, and no more')}`
  const at = new Date()
  const event = await verifyWebhook(
    body,
    {
      'webhook-id': 'event-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign('event-1', at, body),
    },
    secret,
  )
  expect(event.type).toBe('open')
})
