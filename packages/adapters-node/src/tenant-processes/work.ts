/**
 * Every kind of work that is done for projects in processes of their own, and what one piece of it may take: time and memory until it is ended, and
 * characters in and out. A kind is done by the module of its name.
 */
export const kindsOfWork = {
  'visual-document': { milliseconds: 5_000, mostInput: 4_000_000, mostOutput: 2_000_000 },
  'plain-text': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
  'feed-xml': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
  'feed-json': { milliseconds: 5_000, mostInput: 6_000_000, mostOutput: 6_000_000 },
  templates: { milliseconds: 1_000, mostInput: 6_000_000, mostOutput: 100_000 },
} as const

export type KindOfWork = keyof typeof kindsOfWork

/** What came of it, or why nothing did, in words for whoever wrote what was worked on. */
export type Outcome =
  | { readonly output: string; readonly problems: readonly [] }
  | { readonly output?: undefined; readonly problems: readonly string[] }
