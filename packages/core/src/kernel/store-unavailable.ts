/** The store did not respond in time: the operation may or may not have been carried out. A temporary condition. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'

  constructor(cause: unknown) {
    super('The database does not answer.', { cause })
  }
}
