export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'

  constructor(
    message: string,
    /** If so, the server may have carried it out. */
    readonly written: boolean,
  ) {
    super(message)
  }
}

/** In bytes; the API's responses have some hundred. */
export const largestAnswer = 1024 * 1024
