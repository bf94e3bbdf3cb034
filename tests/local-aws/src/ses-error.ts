/** A refusal of the API: the name goes into `x-amzn-ErrorType`, the rest into the body. */
export class SesError extends Error {
  constructor(
    override readonly name: string,
    message: string,
    readonly status = 400,
  ) {
    super(message)
  }
}

export const notFound = (what: string, name: string) =>
  new SesError('NotFoundException', `${what} <${name}> does not exist.`, 404)

export const exists = (what: string, name: string) =>
  new SesError('AlreadyExistsException', `${what} <${name}> already exists.`)

export const badRequest = (message: string) => new SesError('BadRequestException', message)
