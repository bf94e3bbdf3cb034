import { createHash, type Hash } from 'node:crypto'
import type { Core, Scope } from '@posthorn/core'
import { duplicate } from '@posthorn/core/ports'
import type { Request, Response } from 'express'
import { type Route, takesKey } from './route.js'

/** How soon to ask again for what is under way, in seconds. */
const retrySeconds = 2

/** The header that says it, where the row takes one and the caller has a project to keep it for. */
export const idempotencyKeyOf = (row: Route, request: Request, { projectId }: Scope): string | undefined =>
  takesKey(row) && projectId !== '' ? request.get('Idempotency-Key') : undefined

/** What tells one request from another: method, URL and the bytes of the body as they come. */
export const fingerprintOf = ({ method, originalUrl }: Request): Hash =>
  createHash('sha256').update(`${method} ${originalUrl}\n`)

const bytesOf = (value: unknown): Uint8Array | undefined =>
  typeof value === 'object' && value !== null && 'bytes' in value && value.bytes instanceof Uint8Array
    ? value.bytes
    : undefined

/** Of a multipart form, whose own bytes are never the same twice: its fields by name, and the bytes of its file. */
export const addForm = (fingerprint: Hash, form: unknown): void => {
  const fields = Object.entries(form as Readonly<Record<string, unknown>>).sort(([a], [b]) => (a < b ? -1 : 1))
  for (const [name, value] of fields) {
    const bytes = bytesOf(value)
    fingerprint.update(JSON.stringify([name, bytes ? { ...(value as object), bytes: bytes.length } : value]))
    if (bytes) fingerprint.update(bytes)
  }
}

type Asked = {
  readonly key: string
  readonly fingerprint: Hash
  readonly run: (scope: Scope) => Promise<unknown>
  readonly made: ((scope: Scope) => Promise<unknown>) | undefined
}

/**
 * The result of a request with an `Idempotency-Key`, carried out now or before; says in a header if it was before.
 * @throws Refusal `duplicate`, with `Retry-After` while the first is under way
 */
export const onceByKey = async (
  core: Core,
  response: Response,
  scope: Scope,
  { fingerprint, ...asked }: Asked,
): Promise<unknown> => {
  const answer = await core.idempotency.once(scope, { ...asked, fingerprint: fingerprint.digest('hex') })
  if (!answer) {
    response.set('Retry-After', String(retrySeconds))
    throw duplicate('The first request with this Idempotency-Key is still under way. Please try again in a moment.')
  }
  if (answer.isReplayed) response.set('Idempotency-Replayed', 'true')
  return answer.result
}
