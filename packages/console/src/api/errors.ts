import { PosthornError } from '@posthorn/client'

/** `offline`: no response. Others are the API's error names. */
export type ErrorKind = 'offline' | 'session' | 'forbidden' | 'gone' | 'busy' | 'invalid' | 'refused' | 'server'

export type ApiError = {
  readonly kind: ErrorKind
  /** The API's own sentence; empty if the response is none of the API. */
  readonly message: string
  readonly code: string
  /** From Retry-After. */
  readonly retrySeconds?: number
}

const kinds: Readonly<Record<number, ErrorKind>> = {
  0: 'offline',
  400: 'invalid',
  401: 'session',
  403: 'forbidden',
  404: 'gone',
  405: 'refused',
  409: 'refused',
  413: 'invalid',
  429: 'busy',
}

export const asApiError = (error: unknown): ApiError => {
  if (!(error instanceof PosthornError))
    return { kind: 'server', message: error instanceof Error ? error.message : '', code: '' }
  const { status, code, message, retryAfter } = error
  return { kind: kinds[status] ?? 'server', message: code === '' ? '' : message, code, retrySeconds: retryAfter }
}

export type Position = { readonly line: number; readonly column: number }

export type Problem = {
  /** The field of the body; empty if the sentence names none. */
  readonly field: string
  readonly sentence: string
  /** In a template. */
  readonly at?: Position
}

const place = /\bline (\d+), column (\d+)\b/

const problem = (field: string, sentence: string): Problem => {
  const [, line, column] = place.exec(sentence) ?? []
  return {
    field,
    sentence,
    ...(line !== undefined && column !== undefined && { at: { line: Number(line), column: Number(column) } }),
  }
}

/** Of a message such as `subject: line 1, column 7: …; name: …`: one per line or after a semicolon. */
export const parseProblems = (message: string): readonly Problem[] =>
  message
    .split(/\n|;\s+(?=[A-Za-z_][\w.[\]]*: )/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .map((sentence) => {
      const [, field = ''] = /^([A-Za-z_][\w.[\]]*): /.exec(sentence) ?? []
      return problem(field, field === '' ? sentence : sentence.slice(field.length + 2))
    })

/** What is wrong with a request; nothing if it failed for another reason. `say`: translates the server's sentences. */
export const problemsIn = (error: unknown, say: (sentence: string) => string = String): readonly Problem[] => {
  if (!(error instanceof PosthornError) || asApiError(error).kind !== 'invalid') return []
  const { violations } = error
  const problems =
    violations.length === 0
      ? parseProblems(asApiError(error).message)
      : violations.flatMap(({ field, message }) => message.split('\n').map((sentence) => problem(field, sentence)))
  return problems.map((one) => ({ ...one, sentence: say(one.sentence) }))
}

/** Whether it is about the field or a value inside it. */
export const isAt = (field: string, one: Problem): boolean =>
  one.field === field || one.field.startsWith(`${field}.`) || one.field.startsWith(`${field}[`)

export const problemOf = (problems: readonly Problem[], field: string): string | undefined => {
  const sentences = new Set(problems.filter((one) => isAt(field, one)).map(({ sentence }) => sentence))
  return sentences.size === 0 ? undefined : [...sentences].join(' ')
}
