/**
 * Every kind of work in sandbox processes, with its limits: time and memory until it is ended, and characters of input and output. The
 * module of the same name does the work.
 */
export const kindsOfWork = {
  'visual-document': { milliseconds: 5_000, mostInput: 4_000_000, mostOutput: 2_000_000 },
  'plain-text': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
  'feed-xml': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
  'feed-json': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
} as const

export type KindOfWork = keyof typeof kindsOfWork

/** The output, or the problems in words for the author of the input. */
export type Outcome =
  | { readonly output: string; readonly problems: readonly [] }
  | { readonly output?: undefined; readonly problems: readonly string[] }
