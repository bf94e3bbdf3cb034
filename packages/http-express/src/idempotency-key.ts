import { createHash, type Hash } from 'node:crypto'
import type { Core, Scope } from '@posthorn/core'
import { duplicate } from '@posthorn/core/ports/runtime'
import type { Request, Response } from 'express'
import { z } from 'zod'
import { type Route, takesIdempotencyKey } from './route.js'

/** In seconds. */
const retrySeconds = 2

/** If the row accepts one and the caller has a project. */
export const idempotencyKeyOf = (row: Route, request: Request, { projectId }: Scope): string | undefined =>
  takesIdempotencyKey(row) && projectId !== '' ? request.get('Idempotency-Key') : undefined

/** The caller adds the body. */
export const beginFingerprint = ({ method, originalUrl }: Request): Hash =>
  createHash('sha256').update(`${method} ${originalUrl}\n`)

const bytesOf = (value: unknown): Uint8Array | undefined =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array
    ? value.bytes
    : undefined

/** Not raw bytes: a form's boundary differs with each request. */
export const addFormToFingerprint = (fingerprint: Hash, form: unknown): void => {
  const fields = Object.entries(form as Readonly<Record<string, unknown>>).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, value] of fields) {
    const bytes = bytesOf(value)
    fingerprint.update(JSON.stringify([name, bytes ? { ...(value as object), bytes: bytes.length } : value]))
    if (bytes) fingerprint.update(bytes)
  }
}

type Asked = {
  readonly key: string
  readonly operation: string
  readonly fingerprint: Hash
  readonly run: (scope: Scope) => Promise<unknown>
  readonly made: ((scope: Scope) => Promise<unknown>) | undefined
}

/** Repeats get the stored result and `Idempotency-Replayed`. @throws Refusal `duplicate`, with `Retry-After` while the first is running */
export const onceByIdempotencyKey = async (
  core: Core,
  response: Response,
  scope: Scope,
  { fingerprint, ...asked }: Asked,
): Promise<unknown> => {
  const answer = await core.idempotency.once(scope, { ...asked, fingerprint: fingerprint.digest('hex') })
  if (!answer) {
    response.set('Retry-After', String(retrySeconds))
    throw duplicate('The first request with this Idempotency-Key is still running. Retry in a moment.')
  }
  if (answer.isReplayed) response.set('Idempotency-Replayed', 'true')
  return answer.result
}

/** For every POST of a project (gaps.md, "Sends"). */
export const idempotencyHeaders = {
  request: z.object({
    'Idempotency-Key': z
      .string()
      .min(1)
      .max(255)
      .regex(/^[\x20-\x7e]+$/)
      .optional()
      .meta({
        description:
          'A key of your choice, valid for 24 hours: repeating a request with the same key and body returns the first response and does nothing again',
        example: 'order-4711-receipt',
      }),
  }),
  answer: z.object({
    'Idempotency-Replayed': z.literal('true').optional().meta({
      description: 'Present if this is the stored response of an earlier request with the same Idempotency-Key',
    }),
  }),
}
