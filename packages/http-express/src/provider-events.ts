import express, { type RequestHandler } from 'express'
import type { BodyBudget } from './admission/byte-budgets.js'
import { strangerRequestOwner } from './admission/owner.js'
import { readRequestBytes } from './request.js'

/** Names in lower case. */
export type ProviderPostHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export type ProviderEventsEndpoint = {
  /** Such as `/v1/ses/events`. */
  readonly path: string
  /** Bytes; default 256 KB. */
  readonly largest?: number
  /** @throws Refusal `forbidden` */
  readonly admit?: (headers: ProviderPostHeaders) => void
  /** @throws Refusal if the body is forged, or should be posted again later */
  readonly receive: (body: Uint8Array, headers: ProviderPostHeaders) => Promise<void>
}

/** Bytes; SNS sends no larger bodies. */
const standardSize = 256 * 1024

/** Responds with 204. Charges the address block until the signature is verified. */
export const providerEventsHandler = (
  { path, largest = standardSize, admit = () => {}, receive }: ProviderEventsEndpoint,
  budget: BodyBudget,
): RequestHandler => {
  const router = express.Router()
  router.post(path, async (request, response) => {
    admit(request.headers)
    const reading = () => readRequestBytes(request, response, largest)
    const owner = strangerRequestOwner(request)
    await receive(await budget.read({ request, response, owner, limit: largest }, reading), request.headers)
    response.status(204).end()
  })
  return router
}
