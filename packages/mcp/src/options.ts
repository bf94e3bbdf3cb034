import type { PerformRequest } from '@posthorn/http-express'

export type McpOptions = {
  /** Of the API key. */
  readonly projectId: string
  /** Scope of the API key. */
  readonly scope: string
  /** Whether tools that change or send something exist. */
  readonly writes: boolean
  readonly perform: PerformRequest
  /** The OpenAPI document, if there is one already: making it takes a while. */
  readonly description?: object
}
