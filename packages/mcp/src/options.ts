import type { PerformRequest } from '@posthorn/http-express'

export type McpOptions = {
  /** The API key's. */
  readonly projectId: string
  /** The API key's. */
  readonly scope: string
  /** Offers tools that change or send something. */
  readonly writes: boolean
  readonly perform: PerformRequest
  /** The OpenAPI document, if there is one already: making it takes a while. */
  readonly description?: object
}
