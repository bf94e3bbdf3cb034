import express, { type RequestHandler } from 'express'
import { readBytes } from './body.js'
import type { BodyBudget } from './body-budget.js'

/** What a sending provider posts of the mails that it was given. */
export type ProviderEvents = {
  /** Below `/v1/`: `/v1/ses/events`. */
  readonly path: string
  /**
   * Takes one body, as it came.
   * @throws Refusal: for what is not genuine, or where it should come again later
   */
  readonly receive: (body: Uint8Array) => Promise<void>
}

/** SNS sends no larger ones. */
const largest = 256 * 1024

/** Answers 204 to what was taken. What is larger than 256 kB is refused before anything looks into it. */
export const providerEventsPage = ({ path, receive }: ProviderEvents, budget: BodyBudget): RequestHandler => {
  const router = express.Router()
  router.post(path, async (request, response) => {
    const reading = () => readBytes(request, response, largest)
    await receive(await budget.read({ request, response, owner: path, limit: largest }, reading))
    response.status(204).end()
  })
  return router
}
