import { type Log, Refusal } from '@posthorn/core'
import { forbidden, invalid, type ReturnedMail, type ReturnedReport, statusIn } from '@posthorn/core/ports'
import type { z } from 'zod'

/** The fields of a request, by their names in lower case. */
export type PostedHeaders = Readonly<Record<string, string | readonly string[] | undefined>>

/** What a provider posts of the mails that it was given: a `ProviderEvents` of `@posthorn/http-express`. */
export type ProviderWebhook = {
  readonly path: string
  /** Bytes of a body. */
  readonly largest: number
  /** Judges a request before its body is read. @throws Refusal `forbidden` */
  readonly admit?: (headers: PostedHeaders) => void
  /**
   * Takes one body, as it came.
   * @throws Refusal `invalid` for what is no body of the provider's, `forbidden` for what is not genuine; what the store throws, where
   * it should come again
   */
  readonly receive: (body: Uint8Array, headers: PostedHeaders) => Promise<void>
}

export type ProviderOptions = {
  readonly returnedMail: Pick<ReturnedMail, 'report'>
  readonly log: Log
  readonly now?: () => number
}

/** What an event says of the mail that bears the name. */
export type ProviderReport = ReturnedReport & { readonly reference: string | undefined }

/** What an event says that nothing follows from. */
export const nothing: readonly ProviderReport[] = []

/** Characters of a reason that are kept. */
const longestReason = 2_000

/** Why a mail bounced, in the words of the provider or the server; undefined if it gives none. */
export const bounceReason = (
  status: string | null | undefined,
  text: string | null | undefined,
): ReturnedReport['reason'] => {
  if (!text && !status) return undefined
  const message = text || 'The mail provider gave no text.'
  return { name: (status || statusIn(message)) ?? 'Bounced', message: message.slice(0, longestReason) }
}

export const notGenuine = () => forbidden('The request is not the provider’s.')

/** The JSON of a body, as the schema has it. @throws Refusal `invalid`, without repeating what was sent */
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

/** Records what events say, each as often as it comes. Of mails that are not known here, others were sent by the same account. */
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
