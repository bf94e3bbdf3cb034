import express, { type RequestHandler } from 'express'
import { readBytes } from './body.js'
import type { BodyBudget } from './body-budget.js'

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

/** Answers 204 to what was taken. What is larger than the provider’s bodies are is refused before anything looks into it. */
export const providerEventsPage = (
  { path, largest = standardSize, admit = () => {}, receive }: ProviderEvents,
  budget: BodyBudget,
): RequestHandler => {
  const router = express.Router()
  router.post(path, async (request, response) => {
    admit(request.headers)
    const reading = () => readBytes(request, response, largest)
    await receive(await budget.read({ request, response, owner: path, limit: largest }, reading), request.headers)
    response.status(204).end()
  })
  return router
}
