import { verifyWebhook, WebhookVerificationError } from '@posthorn/client'

export const signedHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const

export type WebhookRequest = { readonly body: string; readonly headers: string; readonly secret: string }

export type Verdict =
  /** `age`: of the post, in seconds. */
  | { readonly kind: 'signed'; readonly age: number }
  /** It fits a text that differs from the body only in its layout. */
  | { readonly kind: 'body-changed' }
  | { readonly kind: 'other-secret' }
  | { readonly kind: 'no-header'; readonly missing: readonly string[] }
  | { readonly kind: 'no-time' }
  | { readonly kind: 'no-json' }
  | { readonly kind: 'no-secret' }
  /** The browser computes no signatures on a page without HTTPS. */
  | { readonly kind: 'no-crypto' }

/** One header in a line; other headers and lines are left out. */
export const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name = '', value = ''] = /^\s*"?([\w-]+)"?\s*:\s*(.*?)\s*$/.exec(line) ?? []
      const bare = value.replace(/^"|",?$/g, '')
      return name === '' || bare === '' ? [] : [[name.toLowerCase(), bare]]
    }),
  )

const parsed = (body: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Ignores the post's age. Nothing leaves the browser. @throws never */
export const checkSignature = async ({ body, headers, secret }: WebhookRequest, now: Date): Promise<Verdict> => {
  const given = headersOf(headers)
  const missing = signedHeaders.filter((name) => given[name] === undefined)
  if (missing.length > 0) return { kind: 'no-header', missing }
  const time = Number(given['webhook-timestamp'])
  if (!Number.isSafeInteger(time) || time <= 0) return { kind: 'no-time' }
  const json = parsed(body)
  if (json === undefined) return { kind: 'no-json' }
  if (globalThis.crypto?.subtle === undefined) return { kind: 'no-crypto' }
  const isSigned = async (text: string): Promise<boolean> => {
    try {
      await verifyWebhook(text, given, secret.trim(), { now: new Date(time * 1000) })
      return true
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false
      throw error
    }
  }
  try {
    if (await isSigned(body)) return { kind: 'signed', age: Math.round(now.getTime() / 1000 - time) }
    if ((await isSigned(body.trim())) || (await isSigned(JSON.stringify(json)))) return { kind: 'body-changed' }
    return { kind: 'other-secret' }
  } catch {
    return { kind: 'no-secret' }
  }
}
