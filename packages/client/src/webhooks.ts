import type { WebhookBatch } from './api.js'

/** Discriminated by `type`. `id` stays the same when the event is posted again. */
export type ReceivedEvent = WebhookBatch['events'][number]

/** What a webhook posts: one event, or several if it has `batches` enabled. */
export type ReceivedWebhook =
  | ReceivedEvent
  | { readonly type: 'batch'; readonly id: string; readonly events: readonly ReceivedEvent[] }

/** The post is not from the server, or too old. Answer it with a 4xx status. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError'
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export type VerifyOptions = {
  /** Difference between the clocks, in seconds; default 300. */
  readonly tolerance?: number
  /** Default: now. */
  readonly now?: Date
}

const prefix = 'whsec_'
const standardTolerance = 300

const headerOf = (headers: HeaderSource, name: string): string => {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  const text = typeof value === 'string' ? value : value?.[0]
  if (!text) throw new WebhookVerificationError(`The header ${name} is missing.`)
  return text
}

const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>

/** The decoded bytes of a `whsec_` secret, or the text of an API key. */
const keyOf = (secret: string) => {
  const bytes = secret.startsWith(prefix) ? bytesOfBase64(secret.slice(prefix.length)) : utf8(secret)
  if (!bytes || bytes.length === 0)
    throw new TypeError(`The secret must be an API key, or ${prefix} followed by base64.`)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

const signaturesIn = (header: string): readonly Uint8Array<ArrayBuffer>[] =>
  header
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .flatMap((one) => bytesOfBase64(one.slice(3)) ?? [])

const isSigned = async (
  content: Uint8Array<ArrayBuffer>,
  signatures: readonly Uint8Array<ArrayBuffer>[],
  secrets: readonly string[],
): Promise<boolean> => {
  const keys = await Promise.all(secrets.map(keyOf))
  // `verify` compares in constant time.
  const checks = keys.flatMap((key) => signatures.map((one) => crypto.subtle.verify('HMAC', key, one, content)))
  return (await Promise.all(checks)).includes(true)
}

const joined = (head: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> => {
  const first = utf8(head)
  const second = typeof body === 'string' ? utf8(body) : body
  const content = new Uint8Array(first.length + second.length)
  content.set(first)
  content.set(second, first.length)
  return content
}

/**
 * Checks that a post is from your server (Standard Webhooks, HMAC-SHA256).
 * `body`: exactly as received, not parsed. `secret`: the webhook's `secretKey`, a `whsec_` secret or an API key; several while you change it.
 * @throws WebhookVerificationError
 */
export const verifyWebhook = async (
  body: string | Uint8Array,
  headers: HeaderSource,
  secret: string | readonly string[],
  { tolerance = standardTolerance, now = new Date() }: VerifyOptions = {},
): Promise<ReceivedWebhook> => {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = signaturesIn(headerOf(headers, 'webhook-signature'))
  if (!/^\d+$/.test(timestamp)) throw new WebhookVerificationError('The header webhook-timestamp is not a number.')
  const age = now.getTime() / 1000 - Number(timestamp)
  if (Math.abs(age) > tolerance)
    throw new WebhookVerificationError(
      `The post is ${Math.round(Math.abs(age))} s ${age > 0 ? 'old' : 'in the future'}; ${tolerance} s are accepted.`,
    )
  const secrets = typeof secret === 'string' ? [secret] : secret
  if (!(await isSigned(joined(`${id}.${timestamp}.`, body), signatures, secrets)))
    throw new WebhookVerificationError('No signature of the post fits the secret.')
  const posted = JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body))
  return 'events' in posted ? { type: 'batch', id, events: posted.events } : { id, ...posted }
}
