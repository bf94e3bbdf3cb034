import { GetAccountCommand, type GetAccountResponse, type SESv2Client } from '@aws-sdk/client-sesv2'
import type { Log } from '@posthorn/core'
import { errorTextFor, isCredentialsError, stopsAccount } from './outcome.js'

/**
 * If a person must fix the problem, the rate stays, so that mails are refused and their dispatch reports it; if it
 * passes by itself, the rate is 0 and mails wait.
 */
export type AccountState = {
  readonly ratePerSecond: number
  readonly problem?: string
  /** As an exhausted daily quota does. */
  readonly passes?: boolean
}

const stopped = (problem: string, ratePerSecond: number): AccountState => ({ ratePerSecond, problem })
const waiting = (problem: string): AccountState => ({ ratePerSecond: 0, problem, passes: true })

/** A quota of -1 is unlimited. */
export const accountStateOf = ({
  EnforcementStatus,
  SendingEnabled,
  SendQuota = {},
}: GetAccountResponse): AccountState => {
  const { Max24HourSend: most = -1, SentLast24Hours: sent = 0, MaxSendRate: ratePerSecond = 1 } = SendQuota
  if (EnforcementStatus === 'SHUTDOWN')
    return stopped('Amazon has suspended sending by this account. The AWS Support Center has the case.', ratePerSecond)
  if (SendingEnabled === false)
    return stopped(
      'Sending is paused in Amazon SES; “aws sesv2 put-account-sending-attributes --sending-enabled” turns it on again.',
      ratePerSecond,
    )
  if (most >= 0 && sent >= most)
    return waiting(`The account has sent ${sent} of the ${most} mails that Amazon SES allows in 24 hours.`)
  return { ratePerSecond }
}

/**
 * Cache times in ms; the shorter one after a refusal because of the account, or where an owner may just have fixed it.
 */
const freshFor = 60_000
const recheckAfter = 5_000

type Known = { readonly state: AccountState | undefined; readonly at: number }

export const accountState = (
  client: SESv2Client,
  { log, now, isOwn }: { readonly log: Log; readonly now: () => number; readonly isOwn: boolean },
) => {
  let known: Known | undefined
  let request: Promise<AccountState | undefined> | undefined
  let lastProblem: string | undefined

  const logChange = (problem: string | undefined): void => {
    if (problem !== undefined && problem !== lastProblem)
      log('warn', 'Sending through Amazon SES is stopped', { problem })
    if (problem === undefined && lastProblem !== undefined) log('info', 'Sending through Amazon SES has resumed')
    lastProblem = problem
  }

  const withoutAnswer = (error: unknown): AccountState | undefined => {
    if (isCredentialsError(error) && stopsAccount(error))
      return stopped(errorTextFor(error, isOwn), known?.state?.ratePerSecond || 1)
    if (isCredentialsError(error)) return waiting(errorTextFor(error, isOwn))
    log('warn', 'The quota of Amazon SES could not be read', { reason: errorTextFor(error, isOwn) })
    return known?.state
  }

  const query = async (): Promise<AccountState | undefined> => {
    const state = await client.send(new GetAccountCommand({})).then(accountStateOf, withoutAnswer)
    if (state) logChange(state.problem)
    known = { state, at: now() }
    return state
  }

  const isFixableByOwner = (state: AccountState | undefined) => isOwn && state?.problem !== undefined && !state.passes

  return {
    /** Undefined if never known. Never throws. */
    current: (): Promise<AccountState | undefined> => {
      if (known && now() - known.at < (isFixableByOwner(known.state) ? recheckAfter : freshFor))
        return Promise.resolve(known.state)
      request ??= query().finally(() => {
        request = undefined
      })
      return request
    },
    /** Expires the cached state, because a mail was refused on account of it. */
    doubt: (): void => {
      if (known && now() - known.at >= recheckAfter) known = { ...known, at: now() - freshFor }
    },
    /** @throws Error for the operator if nothing can be sent */
    check: async (): Promise<void> => {
      const answer = await client.send(new GetAccountCommand({})).catch((error: unknown) => {
        throw new Error(`Amazon SES: ${errorTextFor(error, isOwn)}`)
      })
      const { problem } = accountStateOf(answer)
      if (problem !== undefined) throw new Error(`Amazon SES: ${problem}`)
    },
  }
}
