import { GetAccountCommand, type GetAccountResponse, type SESv2Client } from '@aws-sdk/client-sesv2'
import type { Log } from '@posthorn/core'
import { isShutOut, stopsAccount, wordsFor } from './outcome.js'

/**
 * How the account stands: what it may send in a second, and why it sends nothing. What a person has to mend leaves the rate as it is, so
 * that mails meet the refusal and their dispatch is told; where it passes, the rate is 0 and they wait.
 */
export type AccountState = {
  readonly ratePerSecond: number
  readonly problem?: string
  /** Whether the problem passes by itself, as that of a day's quota does. */
  readonly passes?: boolean
}

const stopped = (problem: string, ratePerSecond: number): AccountState => ({ ratePerSecond, problem })
const waiting = (problem: string): AccountState => ({ ratePerSecond: 0, problem, passes: true })

/** What GetAccount says of sending. A quota of -1 has no end. */
export const stateOf = ({ EnforcementStatus, SendingEnabled, SendQuota = {} }: GetAccountResponse): AccountState => {
  const { Max24HourSend: most = -1, SentLast24Hours: sent = 0, MaxSendRate: ratePerSecond = 1 } = SendQuota
  if (EnforcementStatus === 'SHUTDOWN')
    return stopped('Amazon has suspended sending by this account. The AWS Support Center has the case.', ratePerSecond)
  if (SendingEnabled === false)
    return stopped(
      'Sending is paused in Amazon SES; “aws sesv2 put-account-sending-attributes --sending-enabled” turns it on again.',
      ratePerSecond,
    )
  if (most >= 0 && sent >= most)
    return waiting(`The account has sent ${sent} of the ${most} mails that Amazon SES lets it send in 24 hours.`)
  return { ratePerSecond }
}

/**
 * How old an answer may be, in milliseconds; and how soon it is asked again after a mail was refused for the account's sake, or where a
 * person may just have mended an own account.
 */
const freshFor = 60_000
const askedAgainAfter = 5_000

type Known = { readonly state: AccountState | undefined; readonly at: number }

/** The state of the account, asked for when somebody wants to know and the last answer is a minute old. */
export const accountState = (
  client: SESv2Client,
  { log, now, isOwn }: { readonly log: Log; readonly now: () => number; readonly isOwn: boolean },
) => {
  let known: Known | undefined
  let asking: Promise<AccountState | undefined> | undefined
  let lastProblem: string | undefined

  const tell = (problem: string | undefined): void => {
    if (problem !== undefined && problem !== lastProblem) log('warn', 'Amazon SES sends nothing now', { problem })
    if (problem === undefined && lastProblem !== undefined) log('info', 'Amazon SES sends again')
    lastProblem = problem
  }

  /** What is known after a failed question: nothing can be sent, or what was known before. */
  const withoutAnswer = (error: unknown): AccountState | undefined => {
    if (isShutOut(error) && stopsAccount(error))
      return stopped(wordsFor(error, isOwn), known?.state?.ratePerSecond || 1)
    if (isShutOut(error)) return waiting(wordsFor(error, isOwn))
    log('warn', 'Amazon SES does not tell its quota', { reason: wordsFor(error, isOwn) })
    return known?.state
  }

  const ask = async (): Promise<AccountState | undefined> => {
    const state = await client.send(new GetAccountCommand({})).then(stateOf, withoutAnswer)
    if (state) tell(state.problem)
    known = { state, at: now() }
    return state
  }

  const isMendable = (state: AccountState | undefined) => isOwn && state?.problem !== undefined && !state.passes

  return {
    /** The last known; undefined where nothing is. Never throws. */
    current: (): Promise<AccountState | undefined> => {
      if (known && now() - known.at < (isMendable(known.state) ? askedAgainAfter : freshFor))
        return Promise.resolve(known.state)
      asking ??= ask().finally(() => {
        asking = undefined
      })
      return asking
    },
    /** A mail was refused for the account's sake: what was known of it may be wrong. */
    doubt: (): void => {
      if (known && now() - known.at >= askedAgainAfter) known = { ...known, at: now() - freshFor }
    },
    /** Asks at once. @throws Error with words for the operator where nothing can be sent */
    check: async (): Promise<void> => {
      const answer = await client.send(new GetAccountCommand({})).catch((error: unknown) => {
        throw new Error(`Amazon SES: ${wordsFor(error, isOwn)}`)
      })
      const { problem } = stateOf(answer)
      if (problem !== undefined) throw new Error(`Amazon SES: ${problem}`)
    },
  }
}
