import { setNewest } from '../../kernel/byte-bounded-cache.js'
import type { Log, Sleep } from '../../kernel/ports.js'
import { channelKey, type SendingChannel } from './channel.js'
import { type Mailer, type Mailers, MailerUnavailable } from './mailer.js'

/** `trouble` may be temporary; `unavailable` (no mailer) and `stopped` need a person. */
export type SendingChannelState =
  | {
      readonly kind: 'ready'
      readonly mailer: Mailer
      readonly ratePerSecond: number | undefined
      readonly waitsFor?: string | undefined
    }
  | { readonly kind: 'trouble'; readonly reason: string }
  | { readonly kind: 'unavailable'; readonly reason: string }
  | { readonly kind: 'stopped'; readonly reason: string }

type Deps = { readonly mailers: Mailers; readonly sleep: Sleep; readonly log: Log }

/** In ms. */
const patience = 50
const mostRemembered = 1_000

type Question = { isLate: boolean; readonly answer: Promise<SendingChannelState | undefined> }

/** Queries channel states with a timeout, so that a hanging channel delays no other. */
export const sendingChannelStates = ({ mailers, sleep, log }: Deps) => {
  const last = new Map<string, SendingChannelState>()
  const asked = new Map<string, Question>()

  const remember = (key: string, state: SendingChannelState): void => {
    const before = last.get(key)
    if (state.kind !== 'ready' && (before?.kind !== state.kind || before.reason !== state.reason))
      log('warn', 'A channel does not send', { channel: key, reason: state.reason })
    if (state.kind === 'ready' && before && before.kind !== 'ready')
      log('info', 'A channel sends again', { channel: key })
    setNewest(last, key, state, mostRemembered)
  }

  const look = async (channel: SendingChannel): Promise<SendingChannelState> => {
    try {
      const mailer = await mailers.of(channel)
      const problem = await mailer.problem?.()
      if (problem !== undefined) return { kind: 'stopped', reason: problem }
      const ratePerSecond = await mailer.ratePerSecond()
      return {
        kind: 'ready',
        mailer,
        ratePerSecond,
        ...(ratePerSecond === 0 && { waitsFor: await mailer.waitsFor?.() }),
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { kind: error instanceof MailerUnavailable ? 'unavailable' : 'trouble', reason }
    }
  }

  const ask = (channel: SendingChannel, key: string): Question => {
    const over = new AbortController()
    const looking = look(channel).then((state) => {
      asked.delete(key)
      remember(key, state)
      // Without a reason, every abort would create an error with a stack.
      over.abort('answered')
      return state
    })
    const tired = sleep(patience, over.signal).then(() => {
      question.isLate = true
      return last.get(key)
    })
    const question: Question = { isLate: false, answer: Promise.race([looking, tired]) }
    asked.set(key, question)
    return question
  }

  return {
    /** The last known state after 50 ms; undefined if none is known. Never throws. */
    current: (channel: SendingChannel): Promise<SendingChannelState | undefined> => {
      const key = channelKey(channel)
      const question = asked.get(key) ?? ask(channel, key)
      return question.isLate ? Promise.resolve(last.get(key)) : question.answer
    },
  }
}
export type SendingChannelStates = ReturnType<typeof sendingChannelStates>
