/** No complete response arrived. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'

  constructor(
    message: string,
    /** Whether the whole request was written; then the server may have carried it out. */
    readonly written: boolean,
  ) {
    super(message)
  }
}

/** In bytes; the API's responses have some hundred. */
export const largestAnswer = 1024 * 1024
