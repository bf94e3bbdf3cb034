import express, { type RequestHandler } from 'express'
import type { BodyBudget } from './admission/body-budget.js'
import { strangerOwner } from './admission/owner.js'
import { readBytes } from './body.js'

/** The fields of a request, by their names in lower case. */
export type PostedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** What a sending provider posts of the mails that it was given. */
export type ProviderEvents = {
  /** Below `/v1/`: `/v1/ses/events`. */
  readonly path: string
  /** Bytes of a body; 256 kB unless given. */
  readonly largest?: number
  /** Judges a request before anything of its body is read. @throws Refusal `forbidden` */
  readonly admit?: (headers: PostedHeaders) => void
  /**
   * Takes one body, as it came.
   * @throws Refusal: for what is not genuine, or where it should come again later
   */
  readonly receive: (body: Uint8Array, headers: PostedHeaders) => Promise<void>
}

/** SNS sends no larger ones. */
const standardSize = 256 * 1024

/**
 * Answers 204 to what was taken. A body larger than the provider's is refused unread. Anyone can post here, so the address block pays for
 * a body until its signature is verified, which is at its end.
 */
export const providerEventsPage = (
  { path, largest = standardSize, admit = () => {}, receive }: ProviderEvents,
  budget: BodyBudget,
): RequestHandler => {
  const router = express.Router()
  router.post(path, async (request, response) => {
    admit(request.headers)
    const reading = () => readBytes(request, response, largest)
    const owner = strangerOwner(request)
    await receive(await budget.read({ request, response, owner, limit: largest }, reading), request.headers)
    response.status(204).end()
  })
  return router
}
