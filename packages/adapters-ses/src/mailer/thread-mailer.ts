import type { Mail, Mailer, Tenant } from '@posthorn/core/ports/transport'
import type { HttpConnectionPoolLimits } from '../http/sdk-client.js'
import { SesRefusal, type SesSendCredentials } from '../http/send-client.js'
import { type SesTenantOf, sesMailSender } from './mail-sender.js'

/** To the mailer with SDK and store. Plain data. */
export type SesThreadQuestion =
  | { readonly kind: 'access' }
  | ({ readonly kind: 'tenant' } & Pick<Mail, 'projectId' | 'from'>)
  /** A mail was refused because of the account; expects no answer. */
  | { readonly kind: 'doubt' }

type Failed = { readonly name: string; readonly message: string; readonly status?: number | undefined }

/** Plain data with credentials: only for the thread that asked. */
export type AnswerToSesThread =
  | { readonly access: SesSendCredentials }
  | { readonly tenant: Tenant | undefined }
  | { readonly failed: Failed }
  | Readonly<Record<string, never>>

const failedBy = (error: unknown): Failed => {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) }
  const { $metadata } = error as { readonly $metadata?: { readonly httpStatusCode?: number } }
  return { name: error.name, message: error.message, status: $metadata?.httpStatusCode }
}

type Answering = {
  readonly access: () => Promise<SesSendCredentials>
  readonly tenantOf: SesTenantOf | undefined
  readonly doubt: () => void
}

export const sesThreadQuestionAnswerer =
  ({ access, tenantOf, doubt }: Answering) =>
  async (question: SesThreadQuestion): Promise<AnswerToSesThread> => {
    try {
      if (question.kind === 'access') return { access: await access() }
      if (question.kind === 'tenant') return { tenant: await tenantOf?.(question) }
      doubt()
      return {}
    } catch (error) {
      return { failed: failedBy(error) }
    }
  }

/** @throws errors of the other side, by name */
const threadClient = (ask: (question: unknown) => Promise<unknown>) => {
  const answerTo = async (
    question: SesThreadQuestion,
  ): Promise<Exclude<AnswerToSesThread, { readonly failed: Failed }>> => {
    const answer = (await ask(question)) as AnswerToSesThread
    if (!('failed' in answer)) return answer
    const { name, message, status } = answer.failed as Failed
    throw new SesRefusal(name, message, status)
  }
  return {
    access: async () => ((await answerTo({ kind: 'access' })) as { readonly access: SesSendCredentials }).access,
    tenantOf: (async ({ projectId, from }) =>
      ((await answerTo({ kind: 'tenant', projectId, from })) as { readonly tenant: Tenant | undefined })
        .tenant) satisfies SesTenantOf,
    doubt: (): void => void answerTo({ kind: 'doubt' }),
  }
}

/** Plain data. */
export type MailerInThreadOptions = {
  readonly region: string
  readonly configurationSet: string | undefined
  readonly limits: HttpConnectionPoolLimits
}

/** In ms: the SDK renews credentials minutes before they expire. */
const freshFor = 15_000

/** Refreshed in the background; mails wait only if there is none or AWS rejected it. */
const cachedAccess = (ask: () => Promise<SesSendCredentials>, now: () => number) => {
  let known: { readonly access: SesSendCredentials; readonly at: number } | undefined
  let asked: Promise<SesSendCredentials> | undefined

  const renewed = (): Promise<SesSendCredentials> => {
    asked ??= ask()
      .then((access) => {
        known = { access, at: now() }
        return access
      })
      .finally(() => {
        asked = undefined
      })
    return asked
  }

  return {
    current: (): SesSendCredentials | Promise<SesSendCredentials> => {
      if (!known) return renewed()
      if (now() - known.at >= freshFor)
        renewed().catch(() => {
          known = undefined
        })
      return known.access
    },
    doubt: (): void => {
      known = undefined
    },
  }
}

/** `sesMailer` for a thread without SDK and store: it queries the thread that has them. */
export const mailerInThread = (
  { region, configurationSet, limits }: MailerInThreadOptions,
  _log: unknown,
  ask: (question: unknown) => Promise<unknown>,
): Pick<Mailer, 'send' | 'concurrency' | 'close'> => {
  const questions = threadClient(ask)
  const access = cachedAccess(questions.access, Date.now)
  const doubt = () => {
    access.doubt()
    questions.doubt()
  }
  const { tenantOf } = questions
  const sending = sesMailSender({
    ...{ region, limits, configurationSet, tenantOf, doubt },
    access: access.current,
    isOwn: false,
    now: Date.now,
  })
  let inFlight = 0
  let onIdle: (() => void) | undefined

  return {
    send: async (mail) => {
      inFlight += 1
      const outcome = await sending.send(mail)
      inFlight -= 1
      if (inFlight === 0) onIdle?.()
      return outcome
    },
    concurrency: limits.connections,
    close: async () => {
      if (inFlight > 0)
        await new Promise<void>((done) => {
          onIdle = done
        })
      sending.close()
    },
  }
}
