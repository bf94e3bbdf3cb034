import { standaloneViolation, type Violation, wrongFieldViolation } from './violation.js'

/**
 * `unauthenticated`: nobody is signed in, or the sign-in failed; `invalid`: the input; `forbidden`: the caller lacks permission; `blocked`: a business rule; `busy`: too many
 * operations of the caller, or a too long one; `unavailable`: an external service did not respond (spec, "Errors").
 */
export type RefusalKind =
  | 'invalid'
  | 'forbidden'
  | 'not-found'
  | 'blocked'
  | 'duplicate'
  | 'busy'
  | 'unavailable'
  | 'unauthenticated'

/** `field` is empty for the whole input; `message` repeats it only where it is missing or unexpected. */
export type InvalidInputField = { readonly field: string; readonly message: string }

/** The message may be shown to the person who made the request. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly kind: RefusalKind,
    message: string,
    /** For programs: `second-factor-required`. */
    readonly code?: string,
    /** What the message of an invalid input lists. */
    readonly violations?: readonly InvalidInputField[],
  ) {
    super(message)
  }
}

/** In characters: a sentence may quote input of any length. */
const longestSentence = 300
const mostViolations = 20

export const shortened = (text: string): string =>
  text.length > longestSentence ? `${text.slice(0, longestSentence - 1)}…` : text

export const firstViolationSentences = (sentences: readonly string[], further = 0): readonly string[] => {
  const named = sentences.slice(0, mostViolations).map(shortened)
  const more = sentences.length - named.length + further
  return more > 0 ? [...named, `${more} more`] : named
}

/** `name: expected a text` names a field, other sentences stand alone. */
const violationIn = (sentence: string): Violation => {
  const [, field = '', problem = ''] = /^([A-Za-z_][\w.[\]]*): (.+)$/s.exec(sentence) ?? []
  return field === '' ? standaloneViolation('', sentence) : wrongFieldViolation(field, problem)
}

/** Separates violations by semicolons, as the spec requires; names the first ones and the number of others. */
export const invalid = (...violations: readonly string[]) => refusalOfViolations(violations.map(violationIn))

/** `further`: violations not put into words. */
export const refusalOfViolations = (violations: readonly Violation[], further = 0) => {
  const all = firstViolationSentences(
    violations.map(({ sentence }) => sentence),
    further,
  )
  const message = all.map((one, index) => (index < all.length - 1 ? withoutStop(one) : one)).join('; ')
  const listed = violations
    .slice(0, mostViolations)
    .map(({ field, sentence, problem }) => ({ field, message: shortened(problem ?? sentence) }))
  return new Refusal('invalid', message, undefined, listed)
}

/** @throws Refusal `invalid` with all of them, if there are any */
export const assertNoViolations = (violations: readonly Violation[], further = 0): void => {
  if (violations.length > 0) throw refusalOfViolations(violations, further)
}

const withoutStop = (sentence: string) => (sentence.endsWith('.') ? sentence.slice(0, -1) : sentence)
export const forbidden = (message = 'Missing or invalid API key.') => new Refusal('forbidden', message)
export const unauthenticated = (message = 'Sign in first.', code?: string) =>
  new Refusal('unauthenticated', message, code)
/** `notFound('Contact')` says «Contact not found». */
export const notFound = (noun: string) => new Refusal('not-found', `${noun} not found`)
export const blocked = (message: string) => new Refusal('blocked', message)
export const duplicate = (message: string) => new Refusal('duplicate', message)
export const busy = (message: string) => new Refusal('busy', message)
/** Whether the same request may succeed later. */
export const isBusyRefusal = (error: unknown): boolean => error instanceof Refusal && error.kind === 'busy'
export const unavailable = (message: string) => new Refusal('unavailable', message)

/** For `catch`: calls `answer` with a refusal and rethrows any other error. */
export const ifRefused =
  <T>(answer: (refusal: Refusal) => T) =>
  (error: unknown): T => {
    if (error instanceof Refusal) return answer(error)
    throw error
  }

/** The store did not respond in time: the operation may have been carried out. Temporary. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'

  constructor(cause: unknown) {
    super('The database does not answer.', { cause })
  }
}
