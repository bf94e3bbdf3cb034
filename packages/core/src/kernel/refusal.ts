/**
 * Why the core refuses. `invalid`: the input breaks a rule of its shape; `forbidden`: the caller lacks permission; `not-found`: the
 * project has no such record; `blocked`: a business rule forbids it; `duplicate`: the record exists already; `busy`: the caller has too
 * many operations in progress, or this one would take too long; `unavailable`: an external service did not respond. The spec's section
 * "Errors" names them; each interface maps them to its own errors once.
 */
export type RefusalKind = 'invalid' | 'forbidden' | 'not-found' | 'blocked' | 'duplicate' | 'busy' | 'unavailable'

/** An error whose message is written for the person who made the request and may be shown to them. */
export class Refusal extends Error {
  override readonly name = 'Refusal'

  constructor(
    readonly kind: RefusalKind,
    message: string,
  ) {
    super(message)
  }
}

/** Longest sentence of a refusal, in characters: it may quote input of any length. */
const longestSentence = 300
/** A refusal names at most 20 violations. */
const mostViolations = 20

/** Cuts the text to the length that refusals and failures show. */
export const shortened = (text: string): string =>
  text.length > longestSentence ? `${text.slice(0, longestSentence - 1)}…` : text

/** The first sentences, each cut to the length that a response shows, and the number of the others. */
export const firstOf = (sentences: readonly string[], further = 0): readonly string[] => {
  const named = sentences.slice(0, mostViolations).map(shortened)
  const more = sentences.length - named.length + further
  return more > 0 ? [...named, `${more} more`] : named
}

/**
 * One refusal for all violations, separated by semicolons as the spec requires; if there are very many, the first ones and the number of
 * the others.
 */
export const invalid = (...violations: readonly string[]) => invalidInMany(violations, 0)

/** Like `invalid`, with `further` violations that were not put into words. */
export const invalidInMany = (violations: readonly string[], further: number) => {
  const all = firstOf(violations, further)
  return new Refusal('invalid', all.map((one, index) => (index < all.length - 1 ? withoutStop(one) : one)).join('; '))
}

/** In the middle of a list, a semicolon replaces the final stop. */
const withoutStop = (sentence: string) => (sentence.endsWith('.') ? sentence.slice(0, -1) : sentence)
export const forbidden = (message = 'Missing or invalid API key.') => new Refusal('forbidden', message)
/** @param noun as users know it: `notFound('Contact')` says «Contact not found». */
export const notFound = (noun: string) => new Refusal('not-found', `${noun} not found`)
export const blocked = (message: string) => new Refusal('blocked', message)
export const duplicate = (message: string) => new Refusal('duplicate', message)
export const busy = (message: string) => new Refusal('busy', message)
/** Whether the same request may succeed later: nothing was wrong with it. */
export const isBusy = (error: unknown): boolean => error instanceof Refusal && error.kind === 'busy'
export const unavailable = (message: string) => new Refusal('unavailable', message)

/** The store did not respond in time: the operation may or may not have been carried out. A temporary condition. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'

  constructor(cause: unknown) {
    super('The database does not answer.', { cause })
  }
}
