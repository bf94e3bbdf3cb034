import type { Mailer } from '@posthorn/core/ports/transport'
import type { SendAccess } from '../lean/lean-sender.js'
import type { ConnectionLimits } from '../request-handler.js'
import { sesSending } from './sending.js'
import { asking } from './thread-questions.js'

/** Plain data. */
export type ThreadMailerOptions = {
  readonly region: string
  readonly configurationSet: string | undefined
  readonly limits: ConnectionLimits
}

/** In ms: the SDK renews credentials minutes before they expire. */
const freshFor = 15_000

/** Refreshed in the background; mails wait only if there is none yet or AWS rejected it. */
const keptAccess = (ask: () => Promise<SendAccess>, now: () => number) => {
  let known: { readonly access: SendAccess; readonly at: number } | undefined
  let asked: Promise<SendAccess> | undefined

  const renewed = (): Promise<SendAccess> => {
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
    current: (): SendAccess | Promise<SendAccess> => {
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
export const threadMailer = (
  { region, configurationSet, limits }: ThreadMailerOptions,
  _log: unknown,
  ask: (question: unknown) => Promise<unknown>,
): Pick<Mailer, 'send' | 'concurrency' | 'close'> => {
  const questions = asking(ask)
  const access = keptAccess(questions.access, Date.now)
  const doubt = () => {
    access.doubt()
    questions.doubt()
  }
  const { tenantOf } = questions
  const sending = sesSending({
    ...{ region, limits, configurationSet, tenantOf, doubt },
    access: access.current,
    isOwn: false,
    now: Date.now,
  })
  let underWay = 0
  let finished: (() => void) | undefined

  return {
    send: async (mail) => {
      underWay += 1
      const outcome = await sending.send(mail)
      underWay -= 1
      if (underWay === 0) finished?.()
      return outcome
    },
    concurrency: limits.connections,
    /** Finishes mails in flight. */
    close: async () => {
      if (underWay > 0)
        await new Promise<void>((done) => {
          finished = done
        })
      sending.close()
    },
  }
}
