/**
 * Why the core refuses. `invalid`: the input breaks a rule of its shape; `forbidden`: the caller may not; `not-found`: no such
 * record in this project; `blocked`: a business rule stands in the way; `duplicate`: it exists already; `busy`: too much of the
 * caller's is under way already, or this would take too long; `unavailable`: something outside did not answer. The spec's section
 * "Errors" names them; each way in maps them once.
 */
export type RefusalKind = 'invalid' | 'forbidden' | 'not-found' | 'blocked' | 'duplicate' | 'busy' | 'unavailable'

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

/** The longest sentence of a refusal, in characters: what it quotes was written by whoever is refused. */
const longestSentence = 300
/** The most violations that one refusal names. */
const mostViolations = 20

/** The text as far as a refusal or a failure shows it. */
export const shortened = (text: string): string =>
  text.length > longestSentence ? `${text.slice(0, longestSentence - 1)}…` : text

/** The first of the sentences, each as far as an answer shows it, and how many more there are. */
export const firstOf = (sentences: readonly string[], further = 0): readonly string[] => {
  const named = sentences.slice(0, mostViolations).map(shortened)
  const more = sentences.length - named.length + further
  return more > 0 ? [...named, `${more} more`] : named
}

/** Every violation in one refusal, joined as the spec asks: separated by semicolons; of very many the first, and how many more. */
export const invalid = (...violations: readonly string[]) => invalidInMany(violations, 0)

/** As `invalid`, of so many violations that `further` of them were not even put into words. */
export const invalidInMany = (violations: readonly string[], further: number) => {
  const all = firstOf(violations, further)
  return new Refusal('invalid', all.map((one, index) => (index < all.length - 1 ? withoutStop(one) : one)).join('; '))
}

/** A sentence that others follow ends with their semicolon. */
const withoutStop = (sentence: string) => (sentence.endsWith('.') ? sentence.slice(0, -1) : sentence)
export const forbidden = (message = 'Missing or invalid API key.') => new Refusal('forbidden', message)
/** @param noun as the person knows it: `notFound('Contact')` says «Contact not found». */
export const notFound = (noun: string) => new Refusal('not-found', `${noun} not found`)
export const blocked = (message: string) => new Refusal('blocked', message)
export const duplicate = (message: string) => new Refusal('duplicate', message)
export const busy = (message: string) => new Refusal('busy', message)
/** Whether it may be done later as it is, since nothing was wrong with it. */
export const isBusy = (error: unknown): boolean => error instanceof Refusal && error.kind === 'busy'
export const unavailable = (message: string) => new Refusal('unavailable', message)
