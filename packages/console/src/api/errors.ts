/** `offline`: no response. Others are the API's error names. */
export type ErrorKind = 'offline' | 'session' | 'forbidden' | 'gone' | 'busy' | 'invalid' | 'refused' | 'server'

/** A request that failed, with the API's own sentence. */
export class ApiError extends Error {
  override readonly name = 'ApiError'

  constructor(
    readonly kind: ErrorKind,
    message: string,
    /** 0 without a response. */
    readonly status: number,
    readonly code: string,
    /** From Retry-After. */
    readonly retrySeconds?: number,
  ) {
    super(message)
  }
}

const kinds: Readonly<Record<number, ErrorKind>> = {
  400: 'invalid',
  401: 'session',
  403: 'forbidden',
  404: 'gone',
  405: 'refused',
  409: 'refused',
  413: 'invalid',
  429: 'busy',
}

const textAt = (value: unknown, key: string): string | undefined => {
  const found =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined
  return typeof found === 'string' ? found : undefined
}

/** Of a response that is no success; `body` is what could be parsed. */
export const errorOf = (status: number, body: unknown, retryAfter: string | null): ApiError => {
  const error = typeof body === 'object' && body !== null ? (body as { readonly error?: unknown }).error : undefined
  const seconds = retryAfter === null ? Number.NaN : Number(retryAfter)
  return new ApiError(
    kinds[status] ?? 'server',
    textAt(error, 'message') ?? '',
    status,
    textAt(error, 'code') ?? textAt(error, 'name') ?? '',
    Number.isFinite(seconds) ? seconds : undefined,
  )
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

/** The violations that a message lists: `subject: line 1, column 7: …; name: …`, one per line or after a semicolon. */
export const problemsOf = (message: string): readonly Problem[] =>
  message
    .split(/\n|;\s+(?=[A-Za-z_][\w.[\]]*: )/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
    .map((sentence) => {
      const [, field = ''] = /^([A-Za-z_][\w.[\]]*): /.exec(sentence) ?? []
      const [, line, column] = place.exec(sentence) ?? []
      return {
        field,
        sentence: field === '' ? sentence : sentence.slice(field.length + 2),
        ...(line !== undefined && column !== undefined && { at: { line: Number(line), column: Number(column) } }),
      }
    })
