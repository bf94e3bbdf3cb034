/** The store did not answer for as long as it was waited for: what was asked for may, or may not, have been done. It passes. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'

  constructor(cause: unknown) {
    super('The database does not answer.', { cause })
  }
}
