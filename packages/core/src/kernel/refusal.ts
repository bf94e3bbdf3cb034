/**
 * Why the core refuses. `invalid`: the input breaks a rule of its shape; `forbidden`: the caller may not; `not-found`: no such
 * record in this project; `blocked`: a business rule stands in the way; `duplicate`: it exists already; `unavailable`:
 * something outside did not answer. The spec's section "Errors" names them; each way in maps them once.
 */
export type RefusalKind = 'invalid' | 'forbidden' | 'not-found' | 'blocked' | 'duplicate' | 'unavailable'

/** A reason, thrown. Its message is written for the person who made the request and may be shown to them. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message)
  }
}

/** Every violation in one refusal, joined as the spec asks: separated by semicolons. */
export const invalid = (...violations: readonly string[]) => new Refusal('invalid', violations.join('; '))
export const forbidden = (message = 'Missing or invalid API key.') => new Refusal('forbidden', message)
/** @param noun as the person knows it: `notFound('Contact')` says «Contact not found». */
export const notFound = (noun: string) => new Refusal('not-found', `${noun} not found`)
export const blocked = (message: string) => new Refusal('blocked', message)
export const duplicate = (message: string) => new Refusal('duplicate', message)
export const unavailable = (message: string) => new Refusal('unavailable', message)
