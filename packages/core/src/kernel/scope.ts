/** Whose data a use case may touch, as worked out by `access` from a key, an Origin or a token. */
export type Scope = {
  readonly projectId: string
  /** How the caller came in: a browser on a whitelisted Origin may do less than a holder of the API key. */
  readonly via: 'api-key' | 'origin' | 'operator'
}
