/** No answer came, or none that was whole. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'

  constructor(
    message: string,
    /** Whether the whole request had left before: then it may have been carried out. */
    readonly written: boolean,
  ) {
    super(message)
  }
}

/** Answers of the API have some hundred bytes. */
export const largestAnswer = 1024 * 1024
