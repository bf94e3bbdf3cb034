import { type Log, Refusal } from '@posthorn/core'
import { forbidden, invalid } from '@posthorn/core/ports/runtime'
import { type ReturnedMail, type ReturnedMailEvent, statusIn } from '@posthorn/core/ports/transport'
import type { z } from 'zod'

/** Request headers, by lower-case names. */
export type PostedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** A provider's webhook for events of mails: a `ProviderEvents` of `@posthorn/http-express`. */
export type ProviderWebhook = {
  readonly path: string
  /** Maximum bytes of a body. */
  readonly largest: number
  /**
   * Authenticates a request before its body is read.
   * @throws Refusal `forbidden`
   */
  readonly admit?: (headers: PostedHeaders) => void
  /**
   * Processes one raw body.
   * @throws Refusal `invalid` for a malformed body, `forbidden` for one that is not genuine; errors of the store, after which the provider
   * should retry
   */
  readonly receive: (body: Uint8Array, headers: PostedHeaders) => Promise<void>
}

export type ProviderOptions = {
  readonly returnedMail: Pick<ReturnedMail, 'report'>
  readonly log: Log
  readonly now?: () => number
}

/** An event's report on the mail with that reference. */
export type ProviderReport = ReturnedMailEvent & { readonly reference: string | undefined }

/** The result for events without an effect. */
export const nothing: readonly ProviderReport[] = []

/** Maximum characters stored of a reason. */
const longestReason = 2_000

/** Why a mail bounced, in the words of the provider or the server; undefined without a reason. */
export const bounceReason = (
  status: string | null | undefined,
  text: string | null | undefined,
): ReturnedMailEvent['reason'] => {
  if (!text && !status) return undefined
  const message = text || 'The mail provider gave no text.'
  return { name: (status || statusIn(message)) ?? 'Bounced', message: message.slice(0, longestReason) }
}

export const notGenuine = () => forbidden('The request is not the provider’s.')

/**
 * Parses a JSON body by the schema.
 * @throws Refusal `invalid`, without repeating the input
 */
export const readPosted = <T>(body: Uint8Array, schema: z.ZodType<T>): T => {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(body).toString('utf8'))
  } catch {
    throw invalid('The body is not valid JSON.')
  }
  const { data, success } = schema.safeParse(value)
  if (!success) throw invalid('The body is not what the provider sends.')
  return data
}

/** Records every report, repeated ones too. Ignores unknown mails: others may send by the same provider account. */
export const recording =
  ({ returnedMail, log }: ProviderOptions, provider: string) =>
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
