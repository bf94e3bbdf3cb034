import { createHash, timingSafeEqual } from 'node:crypto'
import { type Log, Refusal } from '@posthorn/core'
import { forbidden, invalid } from '@posthorn/core/ports/runtime'
import { enhancedStatusIn, type ReturnedMailEvent, type ReturnedMailUseCases } from '@posthorn/core/ports/transport'
import type { z } from 'zod'

/** By lower-case name. */
export type ProviderRequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

export type ProviderWebhook = {
  readonly path: string
  /** Bytes of a body. */
  readonly largest: number
  /** Called before the body is read. @throws Refusal `forbidden` */
  readonly admit?: (headers: ProviderRequestHeaders) => void
  /** @throws Refusal `invalid` for a malformed body, `forbidden` for a forged one; errors of the store: retry later */
  readonly receive: (body: Uint8Array, headers: ProviderRequestHeaders) => Promise<void>
}

export type MailProviderOptions = {
  readonly returnedMail: Pick<ReturnedMailUseCases, 'report'>
  readonly log: Log
  readonly now?: () => number
}

export type ProviderReport = ReturnedMailEvent & { readonly reference: string | undefined }

export const noProviderMailEvents: readonly ProviderReport[] = []

/** Characters. */
const longestReason = 2_000

export const bounceReason = (
  status: string | null | undefined,
  text: string | null | undefined,
): ReturnedMailEvent['reason'] => {
  if (!text && !status) return undefined
  const message = text || 'The mail provider gave no text.'
  return { name: (status || enhancedStatusIn(message)) ?? 'Bounced', message: message.slice(0, longestReason) }
}

export const notGenuine = () => forbidden('The request is not from the provider.')

/** @throws Refusal `invalid`, without repeating the input */
export const parseProviderWebhookBody = <T>(body: Uint8Array, schema: z.ZodType<T>): T => {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    throw invalid('The body is not valid JSON.')
  }
  const { data, success } = schema.safeParse(value)
  if (!success) throw invalid('The body does not have the provider’s format.')
  return data
}

/** Ignores unknown mails: others may use the same provider account. */
export const reportRecorder =
  ({ returnedMail, log }: MailProviderOptions, provider: string) =>
  async (reports: readonly ProviderReport[]): Promise<void> => {
    for (const { reference, ...report } of reports) {
      if (reference === undefined) continue
      try {
        await returnedMail.report(reference, report)
        log('debug', 'A provider reported on a mail', { provider, reference, ...report })
      } catch (error) {
        if (!(error instanceof Refusal && error.kind === 'not-found')) throw error
      }
    }
  }

const digest = (text: string) => createHash('sha256').update(text).digest()

export const equalsInConstantTime = (given: string, right: string): boolean =>
  timingSafeEqual(digest(given), digest(right))

/** Basic authentication with any user name, or a bearer token (RFC 7617, RFC 6750). */
const credentialIn = (authorization: string): string | undefined => {
  const space = authorization.indexOf(' ')
  const [scheme, value] = [authorization.slice(0, space).toLowerCase(), authorization.slice(space + 1).trim()]
  if (scheme === 'bearer') return value
  if (scheme !== 'basic') return undefined
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : text.slice(colon + 1)
}

export const authorizationHasSecret = (authorization: unknown, secret: string): boolean => {
  const given = typeof authorization === 'string' ? credentialIn(authorization) : undefined
  return given !== undefined && equalsInConstantTime(given, secret)
}
